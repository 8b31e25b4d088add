package dev.blobshuffle.bench.messaging;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A record's value: its due time, its number, its producer, bytes of a pool that all systems share,
 * and a seal over number and producer. Owned by one producer's thread.
 */
final class Payload {
    /** The least bytes of a value: the head and the seal. */
    static final int LEAST_BYTES = 28;

    /** Different keys of a producer, as the OpenMessaging Benchmark has. */
    static final int KEYS = 10_000;

    private static final int NUMBER = 8;
    private static final int PRODUCER = 16;
    private static final int HEAD = 20;
    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final int SHIFT = 29;

    private final int producer;
    private final byte[][] pool;

    Payload(Workload workload, int producer) {
        this.producer = producer;
        SplittableRandom random = new SplittableRandom(producer);
        pool = new byte[workload.payloads()][];
        for (int i = 0; i < pool.length; i++) {
            byte[] noise = new byte[(int) (workload.messageSize() * workload.randomRatio())];
            random.nextBytes(noise);
            pool[i] = Arrays.copyOf(noise, workload.messageSize());
        }
    }

    /** The key of a record: its producer and one of {@link #KEYS} numbers. */
    byte[] key(long number) {
        return ByteBuffer.allocate(Long.BYTES)
                .putInt(producer)
                .putInt((int) (number % KEYS))
                .array();
    }

    /** A record's value. */
    byte[] value(long number, long dueMicros) {
        byte[] value = pool[(int) (number % pool.length)].clone();
        ByteBuffer buffer = ByteBuffer.wrap(value);
        buffer.putLong(0, dueMicros).putLong(NUMBER, number).putInt(PRODUCER, producer);
        buffer.putLong(value.length - Long.BYTES, seal(number, producer));
        return value;
    }

    static long dueMicros(ByteBuffer value) {
        return value.getLong(0);
    }

    static long number(ByteBuffer value) {
        return value.getLong(NUMBER);
    }

    static int producer(ByteBuffer value) {
        return value.getInt(PRODUCER);
    }

    /** Whether a value has the right length and seal. */
    static boolean isWhole(ByteBuffer value, int bytes) {
        return value.limit() == bytes
                && bytes >= HEAD + Long.BYTES
                && value.getLong(bytes - Long.BYTES) == seal(number(value), producer(value));
    }

    /** A number that differs for each record, for sums over records. */
    static long seal(long number, int producer) {
        long mixed = (number + ((long) producer << 40) + 1) * MIX;
        return (mixed ^ (mixed >>> SHIFT)) * MIX;
    }
}
