package dev.blobshuffle.kstreams.keyparallel;

/** What records without a key have in common, under the orderings by key. */
public enum NullKeys {
    /** Nothing: their calls overlap, and their results leave in any order. */
    PARALLEL,

    /** A key: they are kept in order like the records of one key. */
    SERIAL
}
