package dev.blobshuffle.cli.bench.keyparallel;

import dev.blobshuffle.kstreams.keyparallel.KeyParallel;
import dev.blobshuffle.kstreams.keyparallel.KeyParallelOptions;
import dev.blobshuffle.kstreams.keyparallel.Ordering;
import dev.blobshuffle.kstreams.keyparallel.Outcome;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.streams.kstream.KStream;

/** How the function is called. Its latency is a wait: it has the time of a service, and none of its work. */
enum CallVariant {
    /** By {@code mapValues}. */
    PLAIN {
        @Override
        KStream<String, String> applied(KStream<String, String> stream, CallCell cell) {
            return stream.mapValues(value -> called(value, cell));
        }
    },

    /** In strict order per key. */
    KEY {
        @Override
        KStream<String, String> applied(KStream<String, String> stream, CallCell cell) {
            return stream.processValues(
                    KeyParallel.mapValues((key, value) -> called(value, cell), options(cell, Ordering.KEY)));
        }
    },

    /** In strict order per key, several records of a key in a call. */
    BATCH_BY_KEY {
        @Override
        KStream<String, String> applied(KStream<String, String> stream, CallCell cell) {
            return stream.processValues(KeyParallel.batchByKey(
                    (key, values) -> {
                        await(cell);
                        return values.stream().map(Outcome::of).toList();
                    },
                    MAX_BATCH,
                    options(cell, Ordering.KEY)));
        }
    },

    /** With results in order per key. */
    KEY_OUTPUT {
        @Override
        KStream<String, String> applied(KStream<String, String> stream, CallCell cell) {
            return stream.processValues(
                    KeyParallel.mapValues((key, value) -> called(value, cell), options(cell, Ordering.KEY_OUTPUT)));
        }
    };

    static final int MAX_BATCH = 16;

    abstract KStream<String, String> applied(KStream<String, String> stream, CallCell cell);

    /** As it is written in reports. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String called(String value, CallCell cell) {
        await(cell);
        return value;
    }

    private static void await(CallCell cell) {
        long end = System.nanoTime() + cell.latencyMillis() * 1_000_000L;
        for (long left = end - System.nanoTime();
                left > 0 && !Thread.currentThread().isInterrupted();
                left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static KeyParallelOptions options(CallCell cell, Ordering ordering) {
        return KeyParallelOptions.builder("calls")
                .ordering(ordering)
                .maxConcurrency(cell.concurrency())
                .build();
    }
}
