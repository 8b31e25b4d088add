package dev.blobshuffle.log.internal;

import java.time.Duration;
import java.util.Optional;

/** How long a topic keeps its batches. */
public sealed interface RetentionRule {
    /** The longest time of a rule. A database subtracts it from its clock. */
    Duration LONGEST = Duration.ofDays(36_500);

    /** Whether a rule may have a time: 1 ms to {@link #LONGEST}. */
    static boolean isLegal(Duration time) {
        return time.compareTo(Duration.ofMillis(1)) >= 0 && time.compareTo(LONGEST) <= 0;
    }

    /** Keeps everything. */
    record Forever() implements RetentionRule {}

    /** Keeps a batch for a time after its commit. */
    record For(Duration time) implements RetentionRule {
        /** Checks the time. */
        public For {
            if (!isLegal(time)) {
                throw new IllegalArgumentException(
                        "Cannot keep batches for " + time + ". Give 1 ms to 36,500 days, or keep them forever.");
            }
        }
    }

    /**
     * Keeps a batch until every group that has a position in the topic has passed it. Without such
     * a group, it keeps everything.
     *
     * @param abandoned ignores a group without a member for this long; empty: no group is ignored
     */
    record UntilConsumed(Optional<Duration> abandoned) implements RetentionRule {
        /** Checks the time. */
        public UntilConsumed {
            if (abandoned.isPresent() && !isLegal(abandoned.get())) {
                throw new IllegalArgumentException("Cannot call groups abandoned after " + abandoned.get()
                        + ". Give 1 ms to 36,500 days, or no time.");
            }
        }

        /** Each group counts until it is deleted. */
        public UntilConsumed() {
            this(Optional.empty());
        }
    }
}
