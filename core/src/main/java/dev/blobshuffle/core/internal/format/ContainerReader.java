package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.store.BlobId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Reads a blob of Arrow or opaque content by ranges, and returns no byte whose checksum it has not
 * verified. Total: a value or {@link BlobCorrupt}, whatever the bytes. It asks for no more than the
 * part that the caller wants, which lies in the blob. Thread-safe if its source is.
 */
public final class ContainerReader {
    /** Asked for at the end of a blob: trailer and most footers. */
    public static final int TAIL = 256 << 10;

    /** Read at once by {@link #verify}, bytes. */
    private static final int STEP = 1 << 20;

    private final Container container;
    private final Source source;

    /** Where the bytes of a blob come from: a file, or range reads of a store. */
    @FunctionalInterface
    public interface Source {
        /** Reads {@code [offset, offset + length)} of the blob, exactly. */
        ByteBuffer read(long offset, int length);
    }

    /**
     * A reader by a footer that was read before.
     *
     * @param container the footer
     * @param source the blob's bytes
     */
    public ContainerReader(Container container, Source source) {
        this.container = container;
        this.source = source;
    }

    /**
     * Opens a blob: reads its footer, in one or two reads.
     *
     * @param id the blob that is expected
     * @param length the blob's length, bytes
     * @throws BlobCorrupt fatal: it is damaged, another blob, or not of Arrow or opaque content
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
     * @param id the blob that is expected
     * @param tail the blob's last bytes, {@link Trailer#tailLength} or more; not moved
     * @param length the blob's length, bytes
     * @throws BlobCorrupt fatal: it is damaged, another blob, or not of Arrow or opaque content
     */
    public static Container footer(BlobId id, ByteBuffer tail, long length) {
        Container container = ContainerCodec.decode(tail, length);
        if (!container.id().equals(id)) {
            throw new BlobCorrupt("Cannot read blob " + id + ": the stored bytes are those of blob " + container.id()
                    + ". Another writer used the same key, or the blob was copied.");
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
     * @throws IllegalArgumentException it is longer than an array: read its frames
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
     * @throws BlobCorrupt fatal: something is not as the footer says
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

    /** Reads a range in steps, into two checksums; returns its end. */
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

    private BlobCorrupt corrupt(long offset, long length, String what, String reason) {
        return new BlobCorrupt("Cannot read " + what + " at [" + offset + ", +" + length + ") of blob "
                + container.id() + ": " + reason
                + ". Read it again; if that fails too, the stored bytes are damaged.");
    }
}
