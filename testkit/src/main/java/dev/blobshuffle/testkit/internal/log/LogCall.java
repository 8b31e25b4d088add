package dev.blobshuffle.testkit.internal.log;

/** Kinds of calls to a commit log, for a plan of faults. */
public enum LogCall {
    /** Opens a writer. */
    OPEN,
    /** Commits batches and positions. */
    COMMIT,
    /** Asks whether a number is committed. */
    QUESTION,
    /** Gives staged batches their positions. */
    SEQUENCE,
    /** Asks where topics end. */
    LOOK,
    /** Reads batches. */
    READ,
    /** Finds or changes topics. */
    TOPICS,
    /** Renews a lease. */
    RENEW,
    /** Other calls about groups. */
    GROUPS,
    /** Removes batches. */
    TRIM,
    /** Puts tombstones. */
    BURY,
    /** Reads or changes the claims to stores. */
    CLAIMS,
    /** Other calls about retention. */
    RETENTION,
    /** Announcements of instances. */
    INSTANCES
}
