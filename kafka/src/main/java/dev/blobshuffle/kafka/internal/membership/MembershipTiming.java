package dev.blobshuffle.kafka.internal.membership;

import java.time.Duration;

/**
 * How often members tell that they live, and how long that is believed.
 *
 * @param heartbeat time between two words of a member that has nothing new to tell
 * @param timeToLive time without a word after which a member is taken for dead
 * @param timeToRemember time without a word after which its record is deleted
 * @param leave how long a member that leaves may take to say so
 */
record MembershipTiming(Duration heartbeat, Duration timeToLive, Duration timeToRemember, Duration leave) {
    /**
     * A member that hangs is found out by those who ask it long before: this is about what is
     * written where, and about who is asked at all.
     */
    static final MembershipTiming USUAL = new MembershipTiming(
            Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofDays(1), Duration.ofSeconds(3));

    /** Checks that nobody dies between two heartbeats. */
    MembershipTiming {
        if (heartbeat.isNegative() || heartbeat.isZero() || timeToLive.compareTo(heartbeat) <= 0) {
            throw new IllegalArgumentException("Cannot time members: a heartbeat every " + heartbeat
                    + " does not keep one alive for " + timeToLive + ".");
        }
    }
}
