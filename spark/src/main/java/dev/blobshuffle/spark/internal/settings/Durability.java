package dev.blobshuffle.spark.internal.settings;

/** When the output of a map is in the store. */
public enum Durability {
    /** Some time after the map: Spark goes on at once, and a copy stays on the executor's disk. */
    WRITE_BEHIND,
    /** Before the map ends. No copy stays on the executor's disk. */
    SYNC
}
