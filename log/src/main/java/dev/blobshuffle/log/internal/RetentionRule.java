package dev.blobshuffle.log.internal;

import java.time.Duration;
import java.util.Optional;

/** How long a topic keeps its batches. */
public sealed interface RetentionRule {
    /** Keeps everything. */
    record Forever() implements RetentionRule {}

    /** Keeps a batch for a time after its commit. */
    record For(Duration time) implements RetentionRule {
        /** Checks the time. */
        public For {
            if (time.isNegative() || time.isZero()) {
                throw new IllegalArgumentException("Cannot keep batches for " + time + ": must be positive.");
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
            if (abandoned.isPresent()
                    && (abandoned.get().isNegative() || abandoned.get().isZero())) {
                throw new IllegalArgumentException(
                        "Cannot call groups abandoned after " + abandoned.get() + ": must be positive.");
            }
        }

        /** Each group counts until it is deleted. */
        public UntilConsumed() {
            this(Optional.empty());
        }
    }
}
