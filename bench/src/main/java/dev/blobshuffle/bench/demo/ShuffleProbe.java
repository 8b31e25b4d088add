package dev.blobshuffle.bench.demo;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Measures the time of records through a shuffle, in the same way for all variants. The serializer
 * of the shuffled values puts the wall-clock time before each value. Kafka Streams calls the
 * deserializer when it processes the record; the deserializer removes the time and records the
 * difference. Thread-safe.
 */
final class ShuffleProbe {
    private static final int STAMP_LENGTH = Long.BYTES;

    private final Clock clock;
    private final LatencyHistogram latencies = new LatencyHistogram(); // guarded by itself
    private long records; // guarded by latencies
    private boolean isWarm; // guarded by latencies

    ShuffleProbe(Clock clock) {
        this.clock = clock;
    }

    /** The serde of a shuffled text. */
    Serde<String> text() {
        return Serdes.serdeFrom(new Stamping(), new Unstamping());
    }

    /** The warm-up is over: latencies count from here on. */
    void begin() {
        synchronized (latencies) {
            isWarm = true;
        }
    }

    /** Number of processed records, including those of the warm-up. */
    long records() {
        synchronized (latencies) {
            return records;
        }
    }

    /** A copy of the latencies so far. */
    LatencyHistogram latencies() {
        LatencyHistogram copy = new LatencyHistogram();
        synchronized (latencies) {
            copy.add(latencies);
        }
        return copy;
    }

    private long micros() {
        Instant now = clock.instant();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    private final class Stamping implements Serializer<String> {
        @Override
        public byte[] serialize(String topic, String value) {
            byte[] text = value.getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.allocate(STAMP_LENGTH + text.length)
                    .putLong(micros())
                    .put(text)
                    .array();
        }
    }

    private final class Unstamping implements Deserializer<String> {
        @Override
        public String deserialize(String topic, byte[] bytes) {
            long micros = micros() - ByteBuffer.wrap(bytes).getLong();
            synchronized (latencies) {
                records++;
                if (isWarm) {
                    latencies.record(micros);
                }
            }
            return new String(Arrays.copyOfRange(bytes, STAMP_LENGTH, bytes.length), StandardCharsets.UTF_8);
        }
    }
}
