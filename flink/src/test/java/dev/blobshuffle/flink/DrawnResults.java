package dev.blobshuffle.flink;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

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

    /** Forgets the last job. */
    static void reset() {
        RESULTS.clear();
        FAILURES.set(0);
    }

    /** The job that starts fails so many times. */
    static void begin(int failures) {
        COMPLETED.set(0);
        FAILURES_LEFT.set(failures);
    }

    /** All results, sorted. */
    static List<String> all() {
        synchronized (RESULTS) {
            return RESULTS.stream().sorted().toList();
        }
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

    /**
     * Keeps what it gets in its state, and shows it at the end of the input. So a result counts as
     * often as the job has it, also after failures. For one subtask.
     */
    static final class Sink
            implements org.apache.flink.api.connector.sink2.Sink<Item>, SupportsWriterState<Item, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public SinkWriter<Item> createWriter(WriterInitContext context) {
            return new Writer(List.of());
        }

        @Override
        public StatefulSinkWriter<Item, String> restoreWriter(WriterInitContext context, Collection<String> results) {
            return new Writer(results);
        }

        @Override
        public SimpleVersionedSerializer<String> getWriterStateSerializer() {
            return new Text();
        }
    }

    private static final class Text implements SimpleVersionedSerializer<String> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String deserialize(int version, byte[] serialized) {
            return new String(serialized, StandardCharsets.UTF_8);
        }
    }

    private static final class Writer implements StatefulSinkWriter<Item, String> {
        private final List<String> results;

        Writer(Collection<String> results) {
            this.results = new ArrayList<>(results);
        }

        @Override
        public void write(Item item, Context context) {
            results.add(item + " at " + context.timestamp());
        }

        @Override
        public List<String> snapshotState(long checkpoint) {
            return List.copyOf(results);
        }

        @Override
        public void flush(boolean endOfInput) {
            if (endOfInput) {
                synchronized (RESULTS) {
                    RESULTS.clear();
                    RESULTS.addAll(results);
                }
            }
        }

        @Override
        public void close() {}
    }
}
