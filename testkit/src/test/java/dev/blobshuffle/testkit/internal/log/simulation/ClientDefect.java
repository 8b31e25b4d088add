package dev.blobshuffle.testkit.internal.log.simulation;

/** Mistakes that a client of the log could contain. */
enum ClientDefect {
    /** Nobody sequences again what another one was too busy for, or what failed. */
    SEQUENCES_ONCE,
    /** Positions are committed after the transaction of the rows that they are for. */
    POSITIONS_OUTSIDE,
    /** A sweeper lists a generation once, although uploads may be under way. */
    LISTS_ONCE
}
