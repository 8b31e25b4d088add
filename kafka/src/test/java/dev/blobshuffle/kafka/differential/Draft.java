package dev.blobshuffle.kafka.differential;

import java.time.Duration;
import java.util.Arrays;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record that a program sends.
 *
 * @param partition null: by the key
 * @param keySize null: no key
 * @param valueSize null: no value
 * @param headers number of headers
 */
record Draft(
        @Nullable Integer partition,
        @Nullable Integer keySize,
        @Nullable Integer valueSize,
        int headers,
        Time time) {
    /** A partition that the topic does not have. */
    static final int MISSING = 100;

    /** The last partition that the topic has. */
    static final int NEWEST = 101;

    /** The timestamp of a record. */
    enum Time {
        NOW,
        EPOCH,
        OLD,
        FIRST,
        SECOND,
        THIRD,
        SOON,
        /** Brokers refuse it. */
        FAR
    }

    /** The base of the timestamps. */
    static long base(long started) {
        return started - Duration.ofHours(1).toMillis();
    }

    static @Nullable Long at(Time time, long started) {
        return switch (time) {
            case NOW -> null;
            case EPOCH -> 0L;
            case OLD -> base(started) - Duration.ofDays(30).toMillis();
            case FIRST -> base(started);
            case SECOND -> base(started) + 1000;
            case THIRD -> base(started) + 2000;
            case SOON -> started + Duration.ofMinutes(20).toMillis();
            case FAR -> started + Duration.ofDays(2).toMillis();
        };
    }

    /** Whether the broker refuses it together with the other records of the producer's batch. */
    boolean standsAlone() {
        return time == Time.FAR;
    }

    ProducerRecord<byte[], byte[]> record(String topic, @Nullable Integer chosen, int number, long started) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, chosen, at(time, started), bytes(keySize, 7), bytes(valueSize, number));
        record.headers().add("#", new byte[] {(byte) number});
        for (int i = 0; i < headers; i++) {
            record.headers().add("h" + i / 2, i % 2 == 0 ? new byte[] {(byte) i} : null);
        }
        return record;
    }

    private static byte @Nullable [] bytes(@Nullable Integer size, int fill) {
        if (size == null) {
            return null;
        }
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) fill);
        return bytes;
    }
}
