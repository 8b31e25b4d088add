package dev.blobshuffle.core.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Fixed-width integers in byte arrays, least significant byte first. Stateless. */
final class LittleEndian {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LittleEndian() {}

    /** The unsigned 16-bit number at an offset. */
    static int readShort(byte[] source, int offset) {
        return Short.toUnsignedInt((short) SHORT.get(source, offset));
    }

    static int readInt(byte[] source, int offset) {
        return (int) INT.get(source, offset);
    }

    static long readLong(byte[] source, int offset) {
        return (long) LONG.get(source, offset);
    }

    static void writeShort(byte[] target, int offset, int value) {
        SHORT.set(target, offset, (short) value);
    }

    static void writeInt(byte[] target, int offset, int value) {
        INT.set(target, offset, value);
    }

    static void writeLong(byte[] target, int offset, long value) {
        LONG.set(target, offset, value);
    }
}
