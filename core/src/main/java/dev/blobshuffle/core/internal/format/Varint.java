package dev.blobshuffle.core.internal.format;

/**
 * Variable-length integers with seven bits per byte, least significant first; signed ones use
 * zigzag encoding: {@code docs/format.md}, "Varint". Stateless.
 */
public final class Varint {
    private Varint() {}

    /** Writes an int as unsigned, in 1 to 5 bytes. Returns the offset after it. */
    public static int write(byte[] target, int offset, int value) {
        int rest = value;
        int at = offset;
        while ((rest & ~0x7f) != 0) {
            target[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        target[at++] = (byte) rest;
        return at;
    }

    /** Writes a long as unsigned, in 1 to 10 bytes. Returns the offset after it. */
    public static int writeLong(byte[] target, int offset, long value) {
        long rest = value;
        int at = offset;
        while ((rest & ~0x7fL) != 0) {
            target[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        target[at++] = (byte) rest;
        return at;
    }

    /** Maps small magnitudes of either sign to small unsigned numbers. */
    public static long zigzag(long value) {
        return value << 1 ^ value >> 63;
    }

    /** The inverse of {@link #zigzag}. */
    public static long unzigzag(long value) {
        return value >>> 1 ^ -(value & 1);
    }
}
