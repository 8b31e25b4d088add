package dev.blobshuffle.bench.calls;

import java.util.ArrayList;
import java.util.List;

/**
 * One row of the report.
 *
 * @param name the varied property
 * @param variant how the function is called
 * @param latencyMillis of one call
 * @param offered records per second
 * @param keys number of keys
 * @param skew exponent of the keys' Zipf distribution; 0: all keys are equally frequent
 * @param concurrency the most calls at a time, if calls are made in parallel
 * @param partitions of the input, and as many stream threads
 * @param maxBatch the most records of a key in a call, if a call has several
 */
public record CallCell(
        String name,
        CallVariant variant,
        int latencyMillis,
        int offered,
        int keys,
        double skew,
        int concurrency,
        int partitions,
        int maxBatch) {
    /** The rate of the Thulawa paper. */
    private static final int RATE = 215;

    private static final int CONCURRENCY = 256;
    private static final int MANY = 1_000;
    private static final int MAX_BATCH = 16;

    /** Few keys with many records, so that records of a key wait for each other. */
    private static final int BATCHED_KEYS = 20;

    private static final int BATCHED_RATE = 2_000;
    private static final int LARGE_BATCH = 64;

    /** With the usual bound of batches. */
    CallCell(
            String name,
            CallVariant variant,
            int latencyMillis,
            int offered,
            int keys,
            double skew,
            int concurrency,
            int partitions) {
        this(name, variant, latencyMillis, offered, keys, skew, concurrency, partitions, MAX_BATCH);
    }

    /**
     * All rows, in the order in which they run. Rows that are compared with each other are
     * adjacent.
     */
    public static List<CallCell> all() {
        List<CallCell> cells = new ArrayList<>();
        for (int latency : new int[] {5, 20, 250}) {
            String name = "table-2-" + latency + "ms";
            cells.add(new CallCell(name, CallVariant.PLAIN, latency, RATE, MANY, 0, 1, 1));
            cells.add(new CallCell(name, CallVariant.KEY, latency, RATE, MANY, 0, CONCURRENCY, 1));
        }
        cells.add(new CallCell("4-partitions", CallVariant.PLAIN, 250, RATE, MANY, 0, 1, 4));
        cells.add(new CallCell("54-partitions", CallVariant.PLAIN, 250, RATE, MANY, 0, 1, 54));
        for (CallVariant variant : List.of(
                CallVariant.KEY, CallVariant.KEY_CHECKPOINT, CallVariant.BATCH_BY_KEY, CallVariant.KEY_OUTPUT)) {
            cells.add(new CallCell("36-keys", variant, 250, RATE, 36, 0, CONCURRENCY, 1));
        }
        for (CallVariant variant : List.of(CallVariant.KEY, CallVariant.BATCH_BY_KEY, CallVariant.KEY_OUTPUT)) {
            cells.add(new CallCell("zipf-1.0", variant, 250, RATE, MANY, 1, CONCURRENCY, 1));
        }
        cells.add(new CallCell("one-key", CallVariant.PLAIN, 25, 60, 1, 0, 1, 1));
        cells.add(new CallCell("one-key", CallVariant.KEY, 25, 60, 1, 0, CONCURRENCY, 1));
        for (int most : new int[] {1, 2, 4, LARGE_BATCH}) {
            cells.add(batched("batch-of-" + most, BATCHED_RATE, BATCHED_KEYS, most));
        }
        for (int offered : new int[] {500, 1_000, 4_000}) {
            cells.add(batched("batch-at-" + offered, offered, BATCHED_KEYS, LARGE_BATCH));
        }
        for (int keys : new int[] {100, 5, 2}) {
            cells.add(batched("batch-keys-" + keys, BATCHED_RATE, keys, LARGE_BATCH));
        }
        cells.add(new CallCell("saturation", CallVariant.KEY, 250, 4_500, 100_000, 0, 1_024, 1));
        return cells;
    }

    private static CallCell batched(String name, int offered, int keys, int most) {
        return new CallCell(name, CallVariant.BATCH_BY_KEY, 20, offered, keys, 0, CONCURRENCY, 1, most);
    }

    /**
     * The most records per second that are possible: limited by the offered rate, by the calls at a
     * time, and by the share of the hottest key.
     */
    public double maximum() {
        double perSecond = 1_000.0 / latencyMillis;
        return switch (variant) {
            case PLAIN -> Math.min(offered, partitions * perSecond);
            case KEY, KEY_CHECKPOINT -> Math.min(offered, Math.min(concurrency * perSecond, perSecond / share()));
            case BATCH_BY_KEY -> Math.min(offered, Math.min(concurrency * perSecond, maxBatch * perSecond / share()));
            case KEY_OUTPUT -> Math.min(offered, concurrency * perSecond);
        };
    }

    /** The hottest key's share of the records. */
    private double share() {
        double sum = 0;
        for (int key = 1; key <= keys; key++) {
            sum += Math.pow(key, -skew);
        }
        return 1 / sum;
    }
}
