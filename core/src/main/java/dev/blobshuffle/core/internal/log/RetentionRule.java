package dev.blobshuffle.core.internal.log;

import java.time.Duration;

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
     */
    record UntilConsumed() implements RetentionRule {}
}
