package dev.blobshuffle.spark.internal.directory;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Which shuffles belong to micro-batches of streaming queries that are over. A query runs one
 * micro-batch at a time, and none reads the shuffles of an earlier one. Spark removes these
 * shuffles after a garbage collection of the driver, which may be minutes later. Guarded by its
 * directory.
 */
final class MicroBatches {
    private final Map<Integer, Batch> shuffles = new HashMap<>();

    /**
     * The newest micro-batch of each query that has shuffles. Its number is lower than before if
     * the query began again from an earlier state of its checkpoint.
     */
    private final Map<String, Long> newest = new HashMap<>();

    private record Batch(String query, long number) {}

    /**
     * A stage of a micro-batch begins.
     *
     * @param shuffle that it writes, if any
     */
    void begin(String query, long number, OptionalInt shuffle) {
        shuffle.ifPresent(id -> shuffles.put(id, new Batch(query, number)));
        if (shuffle.isPresent() || newest.containsKey(query)) {
            newest.put(query, number);
        }
    }

    /** Whether a later micro-batch has begun. */
    boolean isOver(int shuffle) {
        Batch batch = shuffles.get(shuffle);
        return batch != null && batch.number < newest.getOrDefault(batch.query, 0L);
    }

    /** Forgets a shuffle, and its query with the last one. */
    void remove(int shuffle) {
        Batch removed = shuffles.remove(shuffle);
        if (removed != null && shuffles.values().stream().noneMatch(batch -> batch.query.equals(removed.query))) {
            newest.remove(removed.query);
        }
    }
}
