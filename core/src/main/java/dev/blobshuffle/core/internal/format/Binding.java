package dev.blobshuffle.core.internal.format;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Ties a segment to its partition, and names the key of its frames ({@code docs/format.md},
 * "Binding").
 *
 * @param tag the partition's tag; frame headers are checked with it
 * @param key id of the key that the frames are encrypted with; empty: they are not
 */
public record Binding(int tag, Optional<String> key) {
    /** The longest id of a key, bytes. */
    public static final int MAX_KEY_LENGTH = 32;

    /**
     * The tag of a partition: CRC32C of its number, 4 bytes, and the topic's name in UTF-8. A
     * checksum: it finds mistakes and copies, and does not stop a forger. Encryption does.
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
