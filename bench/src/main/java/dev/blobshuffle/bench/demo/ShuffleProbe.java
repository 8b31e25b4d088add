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
 * Measures how long records take through a shuffle, the same way whatever carries them: the
 * serializer of the shuffled values puts the wall clock in front of each, and the deserializer,
 * which Kafka Streams calls when the record's turn has come, takes it off again and counts the
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

    /** Number of records whose turn has come, the warm-up's included. */
    long records() {
        synchronized (latencies) {
            return records;
        }
    }

    /** What was measured so far; a copy. */
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
