package dev.blobshuffle.kafka.differential;

import java.util.Map;

/**
 * The environment of a program.
 *
 * @param partitions of its topic
 * @param membership how its consumers get partitions
 * @param isolation of its consumers
 * @param reset where its consumers start without a commit
 * @param maxPollRecords of its consumers
 * @param timestamps of its topic
 * @param batching of the producers that write blobs
 * @param habits of the application around its consumers
 */
record Setup(
        int partitions,
        Membership membership,
        Isolation isolation,
        Reset reset,
        int maxPollRecords,
        Timestamps timestamps,
        Batching batching,
        Habits habits) {
    /** How a consumer gets its partitions. */
    enum Membership {
        ASSIGNED,
        CLASSIC,
        CONSUMER
    }

    /**
     * What an application does around its consumers.
     *
     * @param commitsItself whether the consumer commits when it closes or loses partitions
     */
    record Habits(Listening listening, Subscribing subscribing, boolean commitsItself) {}

    /** What a rebalance listener does. */
    enum Listening {
        NONE,
        SEEKS,
        PAUSES,
        COMMITS
    }

    /** The kind of a subscription. */
    enum Subscribing {
        TOPIC,
        /** A pattern that the client matches. */
        PATTERN,
        /** A pattern that the broker matches, with the new protocol. */
        BROKERS_PATTERN
    }

    /** The visibility of transactions for a consumer. */
    enum Isolation {
        READ_COMMITTED,
        READ_UNCOMMITTED
    }

    /**
     * Where a consumer starts without a commit. Not by duration: natively, a partition without a
     * record of that time has no position, so that queries wait.
     */
    enum Reset {
        EARLIEST,
        LATEST,
        NONE
    }

    /** The source of a record's timestamp. */
    enum Timestamps {
        CREATE_TIME("CreateTime"),
        APPEND_TIME("LogAppendTime");

        final String setting;

        Timestamps(String setting) {
            this.setting = setting;
        }
    }

    /** The end of a segment. */
    enum Batching {
        /** After a few records. */
        SMALL(Map.of("blobshuffle.batch.max.bytes", "1024", "blobshuffle.batch.max.delay.ms", "20000")),
        /** By a flush. */
        LARGE(Map.of("blobshuffle.batch.max.delay.ms", "20000")),
        /** At any time. */
        EAGER(Map.of("blobshuffle.batch.max.delay.ms", "1")),
        /** Small batches are plain records. */
        INLINE(Map.of("blobshuffle.inline.max.bytes", "2048", "blobshuffle.batch.max.delay.ms", "20000"));

        final Map<String, String> settings;

        Batching(Map<String, String> settings) {
            this.settings = settings;
        }
    }

    boolean isGroup() {
        return membership != Membership.ASSIGNED;
    }
}
