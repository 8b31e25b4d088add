package dev.blobshuffle.flight.internal.wire;

/**
 * Computes the CRC32C of concatenated parts from the CRC32C and length of each part, without the
 * bytes.
 *
 * <p>A CRC is the remainder of a polynomial over GF(2). Appending n bytes multiplies the remainder
 * of the preceding bytes by x^(8n); the start and end values of all ones cancel out in the sum. So
 * the sum of parts A and B is {@code crc(A) * x^(8 * length(B)) xor crc(B)}, all modulo the
 * polynomial. Bits are reflected, as in the checksum: the top bit is x^0. Owned by one thread.
 */
public final class Crc32cSum {
    private static final int POLYNOMIAL = 0x82F63B78;
    private static final int ONE = 1 << 31;

    /** x^(2^i) modulo the polynomial. */
    private static final int[] POWERS = powers();

    private int sum;

    /** The sum of no bytes. */
    public Crc32cSum() {}

    /** Appends a part. */
    public void add(int checksum, long length) {
        sum = multiply(power(length), sum) ^ checksum;
    }

    /** The checksum of all parts together. */
    public int value() {
        return sum;
    }

    /** x^(8 * length). */
    private static int power(long length) {
        int product = ONE;
        int at = 3;
        for (long rest = length; rest != 0; rest >>>= 1, at++) {
            if ((rest & 1) != 0) {
                product = multiply(POWERS[at % POWERS.length], product);
            }
        }
        return product;
    }

    private static int[] powers() {
        int[] powers = new int[31];
        powers[0] = ONE >>> 1;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = multiply(powers[i - 1], powers[i - 1]);
        }
        return powers;
    }

    private static int multiply(int a, int b) {
        int product = 0;
        int factor = b;
        for (int bit = ONE; bit != 0; bit >>>= 1) {
            if ((a & bit) != 0) {
                product ^= factor;
            }
            factor = (factor & 1) != 0 ? factor >>> 1 ^ POLYNOMIAL : factor >>> 1;
        }
        return product;
    }
}
