package dev.blobshuffle.bench.adaptive;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.BlobConsumer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads a zone's partitions until every writer has ended. Checks that each record arrives once and
 * in order, and measures its latency. Used by one thread.
 */
final class TimedReader {
    /** The last record of each writer in each partition. */
    static final byte[] END = {};

    private static final Duration POLL = Duration.ofMillis(100);

    private final Map<String, Object> settings;
    private final List<TopicPartition> own;
    private final Time time;
    private final Stopwatch stopwatch;
    private final long[][] next = new long[RealTimeTrial.ZONES][RealTimeTrial.PARTITIONS];
    private long records;
    private int ends;

    /** Receives the latency of a record. */
    interface Stopwatch {
        void took(long appendedNanos, long latencyNanos);
    }

    TimedReader(Map<String, Object> settings, int zone, Time time, Stopwatch stopwatch) {
        this.settings = settings;
        this.time = time;
        this.stopwatch = stopwatch;
        own = IntStream.range(0, RealTimeTrial.PARTITIONS)
                .filter(partition -> partition % RealTimeTrial.ZONES == zone)
                .mapToObj(partition -> new TopicPartition(RealTimeTrial.TOPIC, partition))
                .toList();
    }

    /** Returns the number of records. */
    long readAll() {
        try (Consumer<byte[], byte[]> consumer =
                new BlobConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(own);
            while (ends < RealTimeTrial.ZONES * own.size()) {
                consumer.poll(POLL).forEach(this::take);
            }
        }
        return records;
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        if (record.value().length == END.length) {
            ends++;
            return;
        }
        long now = time.nanos();
        ByteBuffer value = ByteBuffer.wrap(record.value());
        long then = value.getLong();
        int writer = value.getInt();
        long number = value.getLong();
        long expected = next[writer][record.partition()]++;
        if (number != expected) {
            throw new IllegalStateException("Record " + number + " of zone " + writer + " came in place of " + expected
                    + " of partition " + record.partition() + ". This is a defect.");
        }
        records++;
        stopwatch.took(then, now - then);
    }
}
