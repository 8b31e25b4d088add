package dev.blobshuffle.peer.internal;

import java.util.zip.CRC32C;

/**
 * Gives changed bytes the checksum that they had, by four bytes that are free to choose: CRC32C
 * finds damage, and no intent. Stateless.
 */
final class Crc32cPatch {
    private static final int POLYNOMIAL = 0x82F6_3B78;

    private Crc32cPatch() {}

    static int checksum(byte[] bytes, int from, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, from, length);
        return (int) checksum.getValue();
    }

    /**
     * Chooses the four bytes at {@code free}, so that {@code length} bytes have the checksum
     * {@code target}.
     */
    static void mend(byte[] bytes, int from, int length, int free, int target) {
        // The register after the free bytes that leads to the target, bit by bit backwards.
        int register = ~target;
        for (int at = from + length - 1; at >= free + 4; at--) {
            register = back(register) ^ (bytes[at] & 0xFF);
        }
        // Backwards over four zero bytes: what they must be combined with.
        for (int i = 0; i < 4; i++) {
            register = back(register);
        }
        int before = ~checksum(bytes, from, free - from);
        int word = register ^ before;
        for (int i = 0; i < 4; i++) {
            bytes[free + i] = (byte) (word >>> 8 * i);
        }
        if (checksum(bytes, from, length) != target) {
            throw new AssertionError("the checksum was not mended");
        }
    }

    /** The register before eight bits were shifted out of it. */
    private static int back(int register) {
        int before = register;
        for (int bit = 0; bit < 8; bit++) {
            before = before < 0 ? (before ^ POLYNOMIAL) << 1 | 1 : before << 1;
        }
        return before;
    }
}
