package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file of the cache on disk: the bytes of a part, a checksum for each 64 KiB of them, and a
 * trailer ({@code docs/format.md}, "Files of the disk cache"). The bytes come first, so that a
 * range of them can be sent directly from the file. Reads verify the blocks that they touch.
 * Thread-safe; blocks its caller for I/O.
 */
final class PartFile {
    private static final int BLOCK_LENGTH = 64 << 10;
    private static final int TRAILER_LENGTH = 24;
    private static final long MAGIC = 0x31484341_43424C42L; // "BLBCACH1" as bytes
    private static final ThreadLocal<ByteBuffer> WINDOW =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(BLOCK_LENGTH));

    private final Path path;
    private final CachedPart part;
    private final int store;

    /** One per block; null until a read needs them. */
    private volatile int @Nullable [] checksums;

    /**
     * A file that exists, or is about to be written.
     *
     * @param store fingerprint of the store that the bytes come from
     */
    PartFile(Path path, CachedPart part, int store) {
        this.path = path;
        this.part = part;
        this.store = store;
    }

    Path path() {
        return path;
    }

    CachedPart part() {
        return part;
    }

    /** Length of the file for a part of the given length. */
    static long fileLength(long partLength) {
        return partLength + blocks(partLength) * Integer.BYTES + TRAILER_LENGTH;
    }

    private static long blocks(long partLength) {
        return (partLength + BLOCK_LENGTH - 1) / BLOCK_LENGTH;
    }

    /** Writes the file of a part under a draft name. Consumes the buffers. */
    static void write(Path draft, List<ByteBuffer> buffers, CachedPart part, int store) throws IOException {
        ByteBuffer tail = ByteBuffer.allocate((int) blocks(part.length()) * Integer.BYTES + TRAILER_LENGTH)
                .order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = PrivateFiles.create(draft)) {
            ByteBuffer window = WINDOW.get().clear();
            for (ByteBuffer buffer : buffers) {
                copy(buffer, window, channel, tail);
            }
            drain(window, channel, tail);
            if (channel.position() != part.length()) {
                throw new IOException(channel.position() + " bytes came for a part of " + part.length());
            }
            tail.putLong(part.length()).putInt(store);
            tail.putInt(checksum(tail.duplicate().flip())).putLong(MAGIC);
            writeAll(channel, tail.flip());
        }
    }

    private static void copy(ByteBuffer buffer, ByteBuffer window, FileChannel channel, ByteBuffer checksums)
            throws IOException {
        int limit = buffer.limit();
        while (buffer.position() < limit) {
            buffer.limit(buffer.position() + Math.min(limit - buffer.position(), window.remaining()));
            window.put(buffer);
            if (!window.hasRemaining()) {
                drain(window, channel, checksums);
            }
            buffer.limit(limit);
        }
    }

    private static void drain(ByteBuffer window, FileChannel channel, ByteBuffer checksums) throws IOException {
        window.flip();
        if (window.hasRemaining()) {
            if (checksums.remaining() < Integer.BYTES + TRAILER_LENGTH) {
                throw new IOException("more bytes came than the part has");
            }
            checksums.putInt(checksum(window.duplicate()));
            writeAll(channel, window);
        }
        window.clear();
    }

    private static void writeAll(FileChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            int ignored = channel.write(buffer);
        }
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    FileChannel open() throws IOException {
        return PrivateFiles.read(path);
    }

    /**
     * Reads bytes of the part and checks them.
     *
     * @param offset where they start in the part
     * @throws IOException if the file cannot be read, or is damaged
     */
    ByteBuffer read(long offset, int length) throws IOException {
        long start = offset / BLOCK_LENGTH * BLOCK_LENGTH;
        long end = Math.min(part.length(), (offset + length + BLOCK_LENGTH - 1) / BLOCK_LENGTH * BLOCK_LENGTH);
        try (FileChannel channel = open()) {
            int[] expected = checksums(channel);
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(end - start));
            for (int block = (int) (start / BLOCK_LENGTH); bytes.hasRemaining(); block++) {
                int from = bytes.position();
                bytes.limit(Math.min(bytes.capacity(), from + BLOCK_LENGTH));
                readAll(channel, bytes, start + from);
                if (checksum(bytes.duplicate().position(from)) != expected[block]) {
                    throw new IOException("block " + block + " of " + path + " does not match its checksum");
                }
                bytes.limit(bytes.capacity());
            }
            return bytes.slice((int) (offset - start), length);
        }
    }

    private int[] checksums(FileChannel channel) throws IOException {
        int[] known = checksums;
        if (known == null) {
            known = readChecksums(channel);
            checksums = known;
        }
        return known;
    }

    private int[] readChecksums(FileChannel channel) throws IOException {
        int count = (int) blocks(part.length());
        ByteBuffer tail =
                ByteBuffer.allocate(count * Integer.BYTES + TRAILER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        readAll(channel, tail, part.length());
        tail.flip();
        int end = tail.limit() - TRAILER_LENGTH;
        boolean isSound = tail.getLong(end) == part.length()
                && tail.getInt(end + 8) == store
                && tail.getInt(end + 12) == checksum(tail.duplicate().limit(end + 12))
                && tail.getLong(end + 16) == MAGIC;
        if (!isSound) {
            throw new IOException("the trailer of " + path + " is damaged");
        }
        int[] read = new int[count];
        tail.asIntBuffer().get(read);
        return read;
    }

    private static void readAll(FileChannel channel, ByteBuffer into, long position) throws IOException {
        long at = position;
        while (into.hasRemaining()) {
            int count = channel.read(into, at);
            if (count < 0) {
                throw new IOException("the file ends at " + at);
            }
            at += count;
        }
    }

    void delete() throws IOException {
        Files.deleteIfExists(path);
    }
}
