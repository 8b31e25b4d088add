package dev.blobshuffle.kafka.internal.membership;

import java.time.Duration;

/**
 * How often members send heartbeats, and how long a silent member counts as alive.
 *
 * @param heartbeat time between two records of a member that has no changes to report
 * @param timeToLive silence after which a member counts as dead
 * @param timeToRemember silence after which a member's record is deleted
 * @param leave longest time for a leaving member to write that it leaves
 */
record MembershipTiming(Duration heartbeat, Duration timeToLive, Duration timeToRemember, Duration leave) {
    /**
     * The usual timing. Members that request blobs from a hung member notice much earlier. These
     * times only govern which zone a blob is written for and which members are asked at all.
     */
    static final MembershipTiming USUAL = new MembershipTiming(
            Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofDays(1), Duration.ofSeconds(3));

    /** Checks that no member counts as dead between two heartbeats. */
    MembershipTiming {
        if (heartbeat.isNegative() || heartbeat.isZero() || timeToLive.compareTo(heartbeat) <= 0) {
            throw new IllegalArgumentException("Cannot time members: a heartbeat every " + heartbeat
                    + " does not keep one alive for " + timeToLive + ".");
        }
    }
}
