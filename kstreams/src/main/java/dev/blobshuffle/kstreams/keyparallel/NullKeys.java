package dev.blobshuffle.kstreams.keyparallel;

/** What records without a key have in common, under the orderings by key. */
public enum NullKeys {
    /** Nothing: each is on its own. */
    PARALLEL,

    /** A key: they are kept in order. */
    SERIAL
}
