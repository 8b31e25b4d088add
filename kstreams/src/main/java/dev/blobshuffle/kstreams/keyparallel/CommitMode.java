package dev.blobshuffle.kstreams.keyparallel;

import org.apache.kafka.common.serialization.Serde;

/** What a commit does about calls that have not ended. Immutable. */
public sealed interface CommitMode {
    /** It waits for them: nothing is stored, and a call may take no longer than a commit. */
    static CommitMode drain() {
        return new Drain();
    }

    /**
     * It stores their records, in a store with a changelog, and does not wait: calls may take as
     * long as they like. After a restart, or when another instance takes the task over, the stored
     * records come first, in the order in which they came at first. What has ended before the next
     * commit is never stored. Functions must not change the keys and values they are given.
     *
     * @param keys writes keys; used by several tasks, as everywhere in Kafka Streams
     * @param values writes values
     */
    static CommitMode checkpoint(Serde<?> keys, Serde<?> values) {
        return new Checkpoint(keys, values);
    }

    /** Commits wait for calls. */
    record Drain() implements CommitMode {}

    /**
     * Commits store the records of calls.
     *
     * @param keys writes keys
     * @param values writes values
     */
    record Checkpoint(Serde<?> keys, Serde<?> values) implements CommitMode {}
}
