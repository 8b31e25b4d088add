package dev.blobshuffle.kstreams.keyparallel;

/** Whether records without a key share an order, under the orderings by key. */
public enum NullKeys {
    /** They do not: their calls overlap, and their results leave in any order. */
    PARALLEL,

    /** They do, like the records of one key. */
    SERIAL
}
