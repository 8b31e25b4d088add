package dev.blobshuffle.core.internal.format;

import java.util.zip.CRC32C;

/** CRC32C (Castagnoli, RFC 3720 appendix B.4), the only checksum of the format. Stateless. */
public final class Checksum {
    private Checksum() {}

    /** The checksum of {@code array[offset, offset + length)}. */
    public static int of(byte[] array, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(array, offset, length);
        return (int) crc.getValue();
    }
}
