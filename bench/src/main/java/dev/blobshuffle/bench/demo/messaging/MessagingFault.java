package dev.blobshuffle.bench.demo.messaging;

/** A kind of fault that {@link FaultDrill} draws. */
enum MessagingFault {
    /** SIGKILL; another process takes the name over. */
    PUBLISHER_KILLED,
    /** SIGSTOP, shorter than a lease. */
    PUBLISHER_PAUSED,
    /** SIGSTOP; another process takes the name over, then the stopped one continues. */
    PUBLISHER_FENCED,
    /** SIGKILL; another member joins. */
    SUBSCRIBER_KILLED,
    /** SIGSTOP, shorter than a lease. */
    SUBSCRIBER_PAUSED,
    /** SIGSTOP, longer than a lease: the member continues with an old generation. */
    SUBSCRIBER_FENCED,
    /** A member leaves in order, another joins. */
    SUBSCRIBER_REPLACED,
    /** SIGSTOP of the primary: connections stay open without an answer. */
    PRIMARY_PAUSED,
    /** SIGKILL of the primary, which starts again with the same data. */
    PRIMARY_RESTARTED,
    /** SIGKILL of the primary; the standby is promoted. */
    FAILOVER,
    /** SIGSTOP of the standby: commits wait. */
    STANDBY_PAUSED,
    /** SIGKILL of the standby, which starts again. */
    STANDBY_RESTARTED,
    /** The primary ends all sessions of the applications. */
    SESSIONS_ENDED,
    /** The primary refuses to write. */
    READ_ONLY
}
