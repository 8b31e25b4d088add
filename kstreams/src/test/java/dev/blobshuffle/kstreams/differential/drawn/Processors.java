package dev.blobshuffle.kstreams.differential.drawn;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** The processors of drawn topologies. */
final class Processors {
    /** A header with the partitions that a record has passed through. */
    static final String PATH = "path";

    private Processors() {}

    /** Adds the partition to a record's path. */
    static final class Path extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(Record<String, String> record) {
            Headers headers = new RecordHeaders(record.headers());
            String partition = "/" + context().taskId().partition();
            Header before = headers.lastHeader(PATH);
            String path = before == null ? partition : new String(before.value(), StandardCharsets.UTF_8) + partition;
            headers.remove(PATH).add(PATH, path.getBytes(StandardCharsets.UTF_8));
            context().forward(record.withHeaders(headers));
        }
    }

    /** Prepares records for a sink: its name, the key and the path form the new key. */
    static final class ToSink extends ContextualProcessor<String, String, String, String> {
        private final String sink;
        private final boolean hasPath;
        private final boolean hasHeaders;

        ToSink(String sink, boolean hasPath, boolean hasHeaders) {
            this.sink = sink;
            this.hasPath = hasPath;
            this.hasHeaders = hasHeaders;
        }

        @Override
        public void process(Record<String, String> record) {
            Headers headers = hasHeaders ? new RecordHeaders(record.headers()) : new RecordHeaders();
            Header path = record.headers().lastHeader(PATH);
            headers.remove(PATH);
            String end = hasPath && path != null ? new String(path.value(), StandardCharsets.UTF_8) : "";
            context()
                    .forward(record.withKey(sink + "|" + record.key() + "|" + end)
                            .withHeaders(headers));
        }
    }

    /** Changes timestamps. */
    static final class Shift extends ContextualProcessor<String, String, String, String> {
        private final int millis;

        Shift(int millis) {
            this.millis = millis;
        }

        @Override
        public void process(Record<String, String> record) {
            context().forward(record.withTimestamp(record.timestamp() + millis));
        }
    }

    /** Adds headers, one of them without a value. */
    static final class Stamp extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(Record<String, String> record) {
            Headers headers = new RecordHeaders(record.headers());
            headers.add("stamp", new byte[] {(byte) Texts.bucket(record.value(), 100)});
            headers.add("empty", null);
            context().forward(record.withHeaders(headers));
        }
    }

    /** Throws for some records. */
    static final class Fragile extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(Record<String, String> record) {
            if (Texts.bucket(record.value(), 8) == 3) {
                throw new IllegalStateException("fragile");
            }
            context().forward(record);
        }
    }

    /** Adds to each value the number of its key's records, and the last value. */
    static final class Remember extends ContextualProcessor<String, String, String, String> {
        private final String store;

        Remember(String store) {
            this.store = store;
        }

        @Override
        public void process(Record<String, String> record) {
            KeyValueStore<String, String> values = context().getStateStore(store);
            context().forward(record.withValue(remember(values, record.key(), record.value())));
        }
    }

    /** The same with a fixed key. */
    static final class RememberValue extends ContextualFixedKeyProcessor<String, String, String> {
        private final String store;

        RememberValue(String store) {
            this.store = store;
        }

        @Override
        public void process(FixedKeyRecord<String, String> record) {
            KeyValueStore<String, String> values = context().getStateStore(store);
            context().forward(record.withValue(remember(values, record.key(), record.value())));
        }
    }

    private static String remember(KeyValueStore<String, String> values, String key, String value) {
        if (key == null) {
            return value;
        }
        String before = values.get(key);
        if (value == null) {
            values.delete(key);
        } else {
            values.put(key, Texts.digest(before == null ? "" : before, value));
        }
        return value + "#" + before;
    }

    /** Stores records until stream time has advanced by a second, and drops the closing ones. */
    static class Buffer extends ContextualProcessor<String, String, String, String> {
        private static final String NEXT = "next";

        private final String store;
        KeyValueStore<String, String> kept;

        Buffer(String store) {
            this.store = store;
        }

        @Override
        public void init(ProcessorContext<String, String> context) {
            super.init(context);
            kept = context.getStateStore(store);
            schedule();
        }

        void schedule() {
            context().schedule(Duration.ofSeconds(1), PunctuationType.STREAM_TIME, now -> flush());
        }

        @Override
        public void process(Record<String, String> record) {
            if (record.timestamp() >= Inputs.CLOSING - Inputs.GRACE.toMillis() / 2) {
                return;
            }
            String next = kept.get(NEXT);
            long number = next == null ? 0 : Long.parseLong(next);
            kept.put(NEXT, String.valueOf(number + 1));
            String value = record.value() == null ? "" : "=" + record.value();
            kept.put("%012d".formatted(number), record.key() + "\t" + record.timestamp() + "\t" + value);
        }

        /** Forwards what is kept, and returns how many records. */
        int flush() {
            List<KeyValue<String, String>> all = new ArrayList<>();
            try (KeyValueIterator<String, String> entries = kept.all()) {
                entries.forEachRemaining(entry -> {
                    if (!entry.key.equals(NEXT)) {
                        all.add(entry);
                    }
                });
            }
            for (KeyValue<String, String> entry : all) {
                String[] parts = entry.value.split("\t", 3);
                kept.delete(entry.key);
                context()
                        .forward(new Record<>(
                                parts[0], parts[2].isEmpty() ? null : parts[2].substring(1), Long.parseLong(parts[1])));
            }
            return all.size();
        }
    }
}
