package dev.blobshuffle.bench.workload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The values that are shuffled: 8 bytes that become the key, random bytes, and 8 bytes for a time.
 * Stateless.
 */
final class Value {
    static final int KEY_BYTES = Long.BYTES;
    static final int LEAST_BYTES = KEY_BYTES + Long.BYTES;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Value() {}

    /** Writes a time over the last bytes. */
    static void stamp(byte[] value, long time) {
        LONGS.set(value, value.length - Long.BYTES, time);
    }

    /** The time in the last bytes. */
    static long stamp(byte[] value) {
        return (long) LONGS.get(value, value.length - Long.BYTES);
    }

    /** A number for bytes, of the same use as {@link #checksum(CRC32C, byte[], byte[])}. */
    static long checksum(CRC32C scratch, byte[] bytes) {
        scratch.reset();
        scratch.update(bytes, 0, bytes.length);
        return (scratch.getValue() + 1) * 0x9E3779B97F4A7C15L;
    }

    /**
     * A number for a key and a value, its time left out. Numbers of records are added up, so that
     * the sum does not depend on their order, and shows a lost, duplicated or changed record.
     */
    static long checksum(CRC32C scratch, byte[] key, byte[] value) {
        scratch.reset();
        scratch.update(value, 0, value.length - Long.BYTES);
        long k = (long) LONGS.get(key, 0);
        return (scratch.getValue() + 1) * 0x9E3779B97F4A7C15L ^ Long.rotateLeft(k, 17) * 0xC2B2AE3D27D4EB4FL;
    }
}
