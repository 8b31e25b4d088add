package dev.blobshuffle.azure;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The CRC-64 of Azure Storage ({@code x-ms-content-crc64}): reflected, polynomial 9A6C9329AC4BC9B5,
 * all bits inverted before and after. It processes eight bytes at a time with eight tables
 * ("slicing by eight", Kounavis and Berry, 2005). Not thread-safe.
 */
final class Crc64 {
    private static final long POLYNOMIAL = 0x9A6C_9329_AC4B_C9B5L;
    private static final int SLICES = 8;
    private static final int WINDOW_LENGTH = 16 << 10;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /**
     * The contribution of each byte value in each slice. It is one array, so one bounds check
     * suffices.
     */
    private static final long[] TABLE = table();

    private long register = -1;

    private static long[] table() {
        long[] table = new long[SLICES << 8];
        for (int i = 0; i < 256; i++) {
            long value = i;
            for (int bit = 0; bit < 8; bit++) {
                value = (value & 1) == 0 ? value >>> 1 : (value >>> 1) ^ POLYNOMIAL;
            }
            table[i] = value;
        }
        for (int i = 256; i < table.length; i++) {
            long before = table[i - 256];
            table[i] = table[(int) before & 0xff] ^ (before >>> 8);
        }
        return table;
    }

    /** Adds the bytes from position to limit, and advances the position. */
    void update(ByteBuffer buffer) {
        byte[] window = new byte[Math.min(buffer.remaining(), WINDOW_LENGTH)];
        while (buffer.hasRemaining()) {
            int length = Math.min(buffer.remaining(), window.length);
            buffer.get(window, 0, length);
            update(window, length);
        }
    }

    private void update(byte[] bytes, int length) {
        long[] table = TABLE;
        long crc = register;
        int at = 0;
        for (; at <= length - Long.BYTES; at += Long.BYTES) {
            long mixed = crc ^ (long) LONGS.get(bytes, at);
            crc = table[(7 << 8) + (int) (mixed & 0xff)]
                    ^ table[(6 << 8) + (int) (mixed >>> 8 & 0xff)]
                    ^ table[(5 << 8) + (int) (mixed >>> 16 & 0xff)]
                    ^ table[(4 << 8) + (int) (mixed >>> 24 & 0xff)]
                    ^ table[(3 << 8) + (int) (mixed >>> 32 & 0xff)]
                    ^ table[(2 << 8) + (int) (mixed >>> 40 & 0xff)]
                    ^ table[(1 << 8) + (int) (mixed >>> 48 & 0xff)]
                    ^ table[(int) (mixed >>> 56)];
        }
        for (; at < length; at++) {
            crc = table[(int) (crc ^ bytes[at]) & 0xff] ^ (crc >>> 8);
        }
        register = crc;
    }

    /** The checksum of the bytes so far. */
    long value() {
        return ~register;
    }
}
