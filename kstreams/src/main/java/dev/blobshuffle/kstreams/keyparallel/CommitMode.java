package dev.blobshuffle.kstreams.keyparallel;

import org.apache.kafka.common.serialization.Serde;

/** How a commit handles calls that are still running. Immutable. */
public sealed interface CommitMode {
    /** It waits for them. Nothing is stored, and a call may take no longer than a commit. */
    static CommitMode drain() {
        return new Drain();
    }

    /**
     * It stores their records, in a store with a changelog, and does not wait, so calls may take
     * any time. After a restart, or when another instance takes over the task, the stored records
     * come first, in their original order. Records that finish before the next commit are never
     * stored. Functions must not change their keys and values.
     *
     * @param keys serializes keys; several tasks share it, as usual in Kafka Streams
     * @param values serializes values
     */
    static CommitMode checkpoint(Serde<?> keys, Serde<?> values) {
        return new Checkpoint(keys, values);
    }

    /** Commits wait for calls. */
    record Drain() implements CommitMode {}

    /**
     * Commits store the records of calls.
     *
     * @param keys serializes keys
     * @param values serializes values
     */
    record Checkpoint(Serde<?> keys, Serde<?> values) implements CommitMode {}
}
