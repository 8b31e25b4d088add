package dev.blobshuffle.flink;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/**
 * What a drawn job leaves, and when it fails. Static, because the tasks run in this process in
 * objects that Flink makes.
 */
final class DrawnResults {
    private static final List<String> RESULTS = Collections.synchronizedList(new ArrayList<>());
    private static final AtomicInteger FAILURES_LEFT = new AtomicInteger();
    private static final AtomicInteger FAILURES = new AtomicInteger();
    private static final AtomicInteger COMPLETED = new AtomicInteger();

    private DrawnResults() {}

    /** Forgets the last job. The next fails so many times. */
    static void reset(int failures) {
        RESULTS.clear();
        FAILURES.set(0);
        COMPLETED.set(0);
        FAILURES_LEFT.set(failures);
    }

    /** All results, sorted. */
    static List<String> all() {
        synchronized (RESULTS) {
            return RESULTS.stream().sorted().toList();
        }
    }

    /** The results without repetitions, as a job leaves them that fails. */
    static List<String> distinct() {
        return List.copyOf(new TreeSet<>(all()));
    }

    static int failures() {
        return FAILURES.get();
    }

    static int completedCheckpoints() {
        return COMPLETED.get();
    }

    static void checkpointed() {
        COMPLETED.incrementAndGet();
    }

    /** Fails after a checkpoint of each attempt. */
    static void mayFail() {
        if (FAILURES_LEFT.get() > 0 && COMPLETED.get() > 0) {
            synchronized (FAILURES) {
                if (FAILURES_LEFT.get() > 0 && COMPLETED.get() > 0) {
                    FAILURES_LEFT.decrementAndGet();
                    FAILURES.incrementAndGet();
                    COMPLETED.set(0);
                    throw new IllegalStateException("injected");
                }
            }
        }
    }

    /** Keeps what it gets. */
    static final class Sink implements org.apache.flink.api.connector.sink2.Sink<Item> {
        private static final long serialVersionUID = 1L;

        @Override
        public SinkWriter<Item> createWriter(WriterInitContext context) {
            return new Writer();
        }
    }

    private static final class Writer implements SinkWriter<Item> {
        @Override
        public void write(Item item, Context context) {
            RESULTS.add(item + " at " + context.timestamp());
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
    }
}
