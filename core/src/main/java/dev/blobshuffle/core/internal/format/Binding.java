package dev.blobshuffle.core.internal.format;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Ties a segment to its partition, and names the key of its frames ({@code docs/format.md},
 * "Binding").
 *
 * @param tag the partition's tag, which frame headers must match
 * @param key id of the key that the frames are encrypted with; empty if they are not encrypted
 */
public record Binding(int tag, Optional<String> key) {
    /** The longest id of a key, bytes. */
    public static final int MAX_KEY_LENGTH = 32;

    /**
     * The tag of a partition: CRC32C of its number, 4 bytes, and the topic's name in UTF-8. It is a
     * checksum that detects mistakes and copies. It does not prevent forgery; encryption does.
     */
    public static int tag(Partition partition) {
        byte[] number = new byte[Integer.BYTES];
        LittleEndian.writeInt(number, 0, partition.number());
        CRC32C crc = new CRC32C();
        crc.update(number, 0, number.length);
        crc.update(partition.stream().getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue();
    }
}
