package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.failure.BlobCorruptException;
import java.nio.ByteBuffer;

/**
 * The last bytes of every blob, of any content kind: {@code docs/format.md}, "Trailer".
 *
 * @param footerLength length of the footer before it, bytes
 * @param footerChecksum CRC32C of the footer
 * @param version the version of the blob's format
 * @param kind the content kind of the blob
 */
public record Trailer(int footerLength, int footerChecksum, int version, ContentKind kind) {
    /** Length of a trailer, bytes. */
    public static final int LENGTH = 24;

    /** The longest footer, bytes. */
    public static final int MAX_FOOTER_LENGTH = 16 << 20;

    /** The first version. It has no content kinds: its blobs hold records. */
    static final int OLDEST_VERSION = 1;

    /** "BLOBSHUF" in ASCII. */
    private static final long MAGIC = 0x4655_4853_424F_4C42L;

    /** The number of bytes at the end of the blob that hold footer and trailer. */
    public int tailLength() {
        return footerLength + LENGTH;
    }

    /**
     * Reads the trailer of a blob.
     *
     * @param tail the blob's last bytes, {@link #LENGTH} or more; not moved
     * @throws BlobCorruptException fatal: the bytes are not the end of a blob, or a newer version
     *     wrote them
     */
    public static Trailer read(ByteBuffer tail) {
        byte[] trailer = last(tail, LENGTH);
        if (LittleEndian.readLong(trailer, 16) != MAGIC) {
            throw corrupt("its last bytes are not those of a blob");
        }
        if (Checksum.of(trailer, 0, 12) != LittleEndian.readInt(trailer, 12)) {
            throw corrupt("its trailer's checksum is wrong");
        }
        int version = LittleEndian.readShort(trailer, 8);
        int code = Byte.toUnsignedInt(trailer[10]);
        int flags = Byte.toUnsignedInt(trailer[11]);
        boolean isKnown = version >= OLDEST_VERSION && version <= Footer.VERSION;
        if (!isKnown || flags != 0 || (version == OLDEST_VERSION && code != 0)) {
            throw new BlobCorruptException(
                    "Cannot read a blob: its version is " + version + " with content kind " + code
                            + " and flags " + flags + ", this reader knows up to version " + Footer.VERSION
                            + " and no flags. Upgrade the reader.");
        }
        int length = LittleEndian.readInt(trailer, 0);
        if (length < 0 || length > MAX_FOOTER_LENGTH) {
            throw corrupt("its footer's length is " + Integer.toUnsignedString(length));
        }
        return new Trailer(length, LittleEndian.readInt(trailer, 4), version, ContentKind.of(code));
    }

    /**
     * The footer before a trailer, with a verified checksum.
     *
     * @param tail the blob's last bytes, {@link #tailLength} or more; not moved
     */
    byte[] footer(ByteBuffer tail) {
        byte[] bytes = last(tail, tailLength());
        if (Checksum.of(bytes, 0, footerLength) != footerChecksum) {
            throw corrupt("its footer's checksum is wrong");
        }
        return bytes;
    }

    /** Appends the trailer to a footer, and returns both. */
    static byte[] append(ByteWriter footer, ContentKind kind, int version) {
        int length = footer.length();
        if (length > MAX_FOOTER_LENGTH) {
            throw new IllegalArgumentException("Cannot write a footer: " + length + " bytes, at most "
                    + MAX_FOOTER_LENGTH + ". Use fewer partitions per blob.");
        }
        int checksum = footer.checksumFrom(0);
        footer.fixedInt(length);
        footer.fixedInt(checksum);
        footer.fixedShort(version);
        footer.fixedByte(kind.code());
        footer.fixedByte(0);
        footer.fixedInt(footer.checksumFrom(length));
        footer.fixedLong(MAGIC);
        return footer.toArray();
    }

    private static byte[] last(ByteBuffer tail, int count) {
        if (tail.remaining() < count) {
            throw corrupt("it has " + tail.remaining() + " bytes where " + count + " are needed");
        }
        byte[] bytes = new byte[count];
        tail.get(tail.limit() - count, bytes);
        return bytes;
    }

    static BlobCorruptException corrupt(String reason) {
        return new BlobCorruptException(
                "Cannot read a blob: " + reason + ". It is damaged, cut, or not a blob of BlobShuffle.");
    }
}
