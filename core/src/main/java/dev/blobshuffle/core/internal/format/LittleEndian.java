package dev.blobshuffle.core.internal.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Fixed-width integers in byte arrays, least significant byte first. Stateless. */
public final class LittleEndian {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LittleEndian() {}

    /** The unsigned 16-bit number at an offset. */
    public static int readShort(byte[] source, int offset) {
        return Short.toUnsignedInt((short) SHORT.get(source, offset));
    }

    /** The 32-bit number at an offset. */
    public static int readInt(byte[] source, int offset) {
        return (int) INT.get(source, offset);
    }

    /** The 64-bit number at an offset. */
    public static long readLong(byte[] source, int offset) {
        return (long) LONG.get(source, offset);
    }

    /** Writes the low 16 bits of a number at an offset. */
    public static void writeShort(byte[] target, int offset, int value) {
        SHORT.set(target, offset, (short) value);
    }

    /** Writes a 32-bit number at an offset. */
    public static void writeInt(byte[] target, int offset, int value) {
        INT.set(target, offset, value);
    }

    /** Writes a 64-bit number at an offset. */
    public static void writeLong(byte[] target, int offset, long value) {
        LONG.set(target, offset, value);
    }
}
