package dev.blobshuffle.testkit.internal.log.simulation;

/** What a simulation does to a commit log and its clients. */
enum LogFault {
    /** A client got no connection. */
    CONNECTION_LOST,
    /** A request did not arrive. */
    REQUEST_LOST,
    /** An answer did not arrive. */
    ANSWER_LOST,
    /** A request or answer took longer than a client waits. */
    CALL_SLOW,
    /** The database stood still between two steps, for up to seconds. */
    STEP_SLOW,
    /** The database stood still in a commit, for minutes. */
    COMMIT_STALLED,
    /** Nobody could sequence for a while. */
    SEQUENCING_DOWN,
    /** A hint was lost. */
    HINT_LOST,
    /** A synchronous standby took over. */
    FAILED_OVER,
    /** A standby whose clock is behind took over. */
    CLOCK_WENT_BACK,
    /** A put failed, with or without effect. */
    PUT_FAILED,
    /** A put had its effect long after its client had given it up. */
    PUT_LATE,
    /** A request to delete or list blobs failed, with or without effect. */
    SWEEP_REQUEST_FAILED,
    /** A publisher was killed, and another one took its place. */
    PUBLISHER_KILLED,
    /** A publisher was replaced while it went on: a zombie. */
    PUBLISHER_REPLACED,
    /** A publisher stood still between its upload and its commit, for minutes. */
    PUBLISHER_PAUSED,
    /** A subscriber was killed, and another one took its place. */
    SUBSCRIBER_KILLED,
    /** A subscriber stood still for longer than its lease. */
    SUBSCRIBER_FROZEN
}
