package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.store.BlobId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Reads a blob of Arrow or opaque content by ranges, and verifies the checksum of all bytes that it
 * returns. For any input it returns a value or throws {@link BlobCorruptException}. It requests
 * only the part that the caller wants, which lies in the blob. Thread-safe if its source is.
 */
public final class ContainerReader {
    /** The number of last bytes that are read first. They hold the trailer and most footers. */
    public static final int TAIL = 256 << 10;

    /** The bytes that {@link #verify} reads at once. */
    private static final int STEP = 1 << 20;

    private final Container container;
    private final Source source;

    /** The source of a blob's bytes: a file, or range reads of a store. */
    @FunctionalInterface
    public interface Source {
        /** Reads exactly {@code [offset, offset + length)} of the blob. */
        ByteBuffer read(long offset, int length);
    }

    /**
     * A reader with a known footer.
     *
     * @param container the footer
     * @param source the blob's bytes
     */
    public ContainerReader(Container container, Source source) {
        this.container = container;
        this.source = source;
    }

    /**
     * Opens a blob with one or two reads of its footer.
     *
     * @param id the expected blob
     * @param length the blob's length, bytes
     * @throws BlobCorruptException fatal: the blob is damaged, another blob, or without Arrow or
     *     opaque content
     */
    public static ContainerReader open(BlobId id, Source source, long length) {
        ByteBuffer tail = last(source, length, TAIL);
        int needed = Trailer.read(tail).tailLength();
        if (needed > tail.remaining()) {
            tail = last(source, length, needed);
        }
        return new ContainerReader(footer(id, tail, length), source);
    }

    /**
     * The footer of a blob.
     *
     * @param id the expected blob
     * @param tail the blob's last bytes, {@link Trailer#tailLength} or more; not moved
     * @param length the blob's length, bytes
     * @throws BlobCorruptException fatal: the blob is damaged, another blob, or without Arrow or
     *     opaque content
     */
    public static Container footer(BlobId id, ByteBuffer tail, long length) {
        Container container = ContainerCodec.decode(tail, length);
        if (!container.id().equals(id)) {
            throw new BlobCorruptException("Cannot read blob " + id + ": the stored bytes are those of blob "
                    + container.id() + ". Another writer used the same key, or the blob was copied.");
        }
        return container;
    }

    private static ByteBuffer last(Source source, long length, int count) {
        int present = (int) Math.min(length, count);
        return exactly(source.read(length - present, present), present, "its end");
    }

    /** The footer. */
    public Container container() {
        return container;
    }

    /** The bytes before the first section. */
    public Optional<ByteBuffer> prelude() {
        return container.prelude().map(this::piece);
    }

    /** The bytes after the last section. */
    public Optional<ByteBuffer> postlude() {
        return container.postlude().map(this::piece);
    }

    /**
     * The bytes of a segment.
     *
     * @throws IllegalArgumentException the segment is longer than an array: read its frames
     */
    public ByteBuffer segment(Container.Segment segment) {
        if (segment.length() > Container.MAX_FRAME_LENGTH) {
            throw new IllegalArgumentException("Cannot read segment at " + segment.offset() + " of blob "
                    + container.id() + " at once: it has " + segment.length() + " bytes. Read its "
                    + segment.frames().size() + " frames one by one.");
        }
        return checked(segment.offset(), (int) segment.length(), segment.checksum(), "a segment");
    }

    /** The bytes of one frame of a segment that has frames. */
    public ByteBuffer frame(Container.Segment segment, int index) {
        Container.Frame frame = segment.frames().get(index);
        return checked(segment.frameOffset(index), frame.length(), frame.checksum(), "a frame");
    }

    /**
     * Reads every byte before the footer, about a mebibyte at a time, and verifies it.
     *
     * @throws BlobCorruptException fatal: the bytes do not match the footer
     */
    public void verify() {
        prelude();
        long end = container.prelude().map(Container.Piece::length).orElse(0);
        for (Container.Segment segment : container.segments()) {
            verifyZeros(end, (int) (segment.offset() - end));
            verifySegment(segment);
            end = segment.end();
        }
        postlude();
    }

    private void verifyZeros(long offset, int count) {
        ByteBuffer bytes = count == 0 ? ByteBuffer.allocate(0) : read(offset, count, "padding");
        while (bytes.hasRemaining()) {
            if (bytes.get() != 0) {
                throw corrupt(offset, count, "padding", "it is not zero");
            }
        }
    }

    private void verifySegment(Container.Segment segment) {
        CRC32C whole = new CRC32C();
        List<Container.Frame> frames = segment.frames();
        long at = segment.offset();
        for (Container.Frame frame : frames) {
            CRC32C part = new CRC32C();
            at = update(at, at + frame.length(), whole, part);
            check(at - frame.length(), frame.length(), (int) part.getValue(), frame.checksum(), "a frame");
        }
        if (frames.isEmpty()) {
            at = update(at, segment.end(), whole, new CRC32C());
        }
        check(segment.offset(), segment.length(), (int) whole.getValue(), segment.checksum(), "a segment");
    }

    /** Reads a range in steps and updates two checksums with it. Returns the end of the range. */
    private long update(long start, long end, CRC32C whole, CRC32C part) {
        for (long at = start; at < end; ) {
            int step = (int) Math.min(STEP, end - at);
            ByteBuffer bytes = read(at, step, "a segment");
            part.update(bytes.duplicate());
            whole.update(bytes);
            at += step;
        }
        return end;
    }

    private ByteBuffer piece(Container.Piece piece) {
        return checked(piece.offset(), piece.length(), piece.checksum(), "a prelude or postlude");
    }

    private ByteBuffer checked(long offset, int length, int checksum, String what) {
        ByteBuffer bytes = read(offset, length, what);
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        check(offset, length, (int) crc.getValue(), checksum, what);
        return bytes;
    }

    private void check(long offset, long length, int actual, int expected, String what) {
        if (actual != expected) {
            throw corrupt(
                    offset,
                    length,
                    what,
                    String.format("its checksum is %08x, and the footer says %08x", actual, expected));
        }
    }

    private ByteBuffer read(long offset, int length, String what) {
        return exactly(source.read(offset, length), length, what);
    }

    private static ByteBuffer exactly(ByteBuffer bytes, int length, String what) {
        if (bytes.remaining() != length) {
            throw Trailer.corrupt("reading " + what + " gave " + bytes.remaining() + " bytes instead of " + length);
        }
        return bytes;
    }

    private BlobCorruptException corrupt(long offset, long length, String what, String reason) {
        return new BlobCorruptException("Cannot read " + what + " at [" + offset + ", +" + length + ") of blob "
                + container.id() + ": " + reason
                + ". Read it again; if that fails too, the stored bytes are damaged.");
    }
}
