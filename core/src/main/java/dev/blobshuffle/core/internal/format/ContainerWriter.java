package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Writes a blob of Arrow or opaque content, part by part. It passes all bytes to a sink, in order
 * and without a copy, and keeps only the content of the footer. Call {@link #prelude} first, then
 * {@link #section} for each zone and {@link #segment} for each of its segments, then {@link
 * #postlude}, and {@link #finish} last. Owned by one thread.
 *
 * <p>A blob is not valid before {@link #finish} returns. If a call fails, discard what the sink has
 * received.
 */
public final class ContainerWriter {
    private final BlobId id;
    private final int store;
    private final long createdMillis;
    private final ContentKind kind;
    private final Consumer<ByteBuffer> sink;
    private final List<BlobSection> sections = new ArrayList<>();
    private final List<Container.Segment> segments = new ArrayList<>();
    private Optional<Container.Piece> prelude = Optional.empty();
    private Optional<Container.Piece> postlude = Optional.empty();

    private OptionalInt partitions = OptionalInt.empty();

    /** Bytes passed to the sink so far. */
    private long length;

    private boolean isAligning;

    /**
     * A writer of one blob.
     *
     * @param id the blob
     * @param store fingerprint of the store that the blob is for
     * @param createdMillis wall clock, milliseconds since the Unix epoch; for inspection
     * @param kind the content kind of the segments; not {@link ContentKind#RECORDS}
     * @param sink receives the bytes; a buffer is valid as long as the caller's own
     */
    public ContainerWriter(BlobId id, int store, long createdMillis, ContentKind kind, Consumer<ByteBuffer> sink) {
        if (kind == ContentKind.RECORDS) {
            throw new IllegalArgumentException("Cannot write records as other content. Lay out a blob of records.");
        }
        this.id = id;
        this.store = store;
        this.createdMillis = createdMillis;
        this.kind = kind;
        this.sink = sink;
    }

    /**
     * States how many partitions the shuffle has, so that readers can distinguish an empty
     * partition from one that does not exist.
     */
    public void partitions(int count) {
        partitions = OptionalInt.of(count);
    }

    /**
     * Writes the bytes before the first section: for Arrow content, the schema message and
     * dictionaries that all segments share.
     */
    public void prelude(ByteBuffer bytes) {
        require(length == 0, "the prelude is the blob's first part");
        prelude = Optional.of(piece(bytes));
    }

    /** Starts the section of a zone. */
    public void section(Zone zone) {
        require(postlude.isEmpty(), "nothing but the footer follows the postlude");
        sections.add(new BlobSection(zone, length, 0));
    }

    /**
     * Aligns the next segment, by zeros before it, to a multiple of 8. Arrow content is always
     * aligned.
     */
    public void align() {
        isAligning = true;
    }

    /**
     * Writes a segment of the current section.
     *
     * @param partition number of the partition whose rows it holds
     * @param origin its origin; for all segments of the blob or for none
     * @param rows number of its rows; for all segments of the blob or for none; required for Arrow
     *     content
     * @param rawLength its length without compression, bytes; for all segments of the blob or for
     *     none
     * @param frames its bytes; of two or more buffers, each becomes a frame. The buffers are taken
     *     one by one, and each is passed on before the next is taken
     */
    public void segment(
            int partition,
            Optional<Container.Origin> origin,
            OptionalLong rows,
            OptionalLong rawLength,
            Iterable<ByteBuffer> frames) {
        gatheredSegment(partition, origin, rows, rawLength, () -> new PartsOfFrames(frames.iterator()));
    }

    /**
     * Writes a segment like {@link #segment}, but each frame may be in several buffers.
     *
     * @param frames the buffers of each frame
     */
    public void gatheredSegment(
            int partition,
            Optional<Container.Origin> origin,
            OptionalLong rows,
            OptionalLong rawLength,
            Iterable<List<ByteBuffer>> frames) {
        require(!sections.isEmpty() && postlude.isEmpty(), "a segment belongs to a section");
        if (isAligning) {
            pad();
        }
        long start = length;
        CRC32C whole = new CRC32C();
        CRC32C part = new CRC32C();
        List<Container.Frame> table = new ArrayList<>();
        for (List<ByteBuffer> frame : frames) {
            long frameStart = length;
            part.reset();
            for (ByteBuffer bytes : frame) {
                whole.update(bytes.duplicate());
                part.update(bytes.duplicate());
                pass(bytes);
            }
            table.add(new Container.Frame(Math.toIntExact(length - frameStart), (int) part.getValue()));
        }
        segments.add(new Container.Segment(
                sections.size() - 1,
                partition,
                start,
                length - start,
                (int) whole.getValue(),
                origin,
                rows,
                rawLength,
                table.size() == 1 ? List.of() : table));
    }

    /** Writes the bytes after the last section. {@link #finish} writes those of Arrow content. */
    public void postlude(ByteBuffer bytes) {
        require(kind != ContentKind.ARROW && postlude.isEmpty(), "the postlude is written once");
        postlude = Optional.of(piece(bytes));
    }

    /**
     * Writes footer and trailer.
     *
     * @return the footer
     * @throws IllegalArgumentException the parts do not form a blob of the kind, or the footer is
     *     too long
     */
    public Container finish() {
        if (kind == ContentKind.ARROW) {
            postlude = Optional.of(piece(ByteBuffer.wrap(Container.ARROW_END.clone())));
        }
        List<BlobSection> ended = new ArrayList<>();
        for (int i = 0; i < sections.size(); i++) {
            BlobSection section = sections.get(i);
            long end = i + 1 < sections.size() ? sections.get(i + 1).offset() : segmentsEnd();
            ended.add(new BlobSection(section.zone(), section.offset(), end - section.offset()));
        }
        Container container =
                new Container(id, store, createdMillis, kind, partitions, prelude, ended, segments, postlude);
        pass(ByteBuffer.wrap(ContainerCodec.encode(container)));
        return container;
    }

    /** Frames of one buffer each. */
    private record PartsOfFrames(Iterator<ByteBuffer> frames) implements Iterator<List<ByteBuffer>> {
        @Override
        public boolean hasNext() {
            return frames.hasNext();
        }

        @Override
        public List<ByteBuffer> next() {
            return List.of(frames.next());
        }
    }

    private void pad() {
        int gap = (int) (-length & Container.ALIGNMENT - 1);
        if (gap > 0) {
            pass(ByteBuffer.allocate(gap));
        }
        isAligning = false;
    }

    private long segmentsEnd() {
        return segments.isEmpty() ? 0 : segments.get(segments.size() - 1).end();
    }

    private Container.Piece piece(ByteBuffer bytes) {
        Container.Piece piece = new Container.Piece(length, bytes.remaining(), checksum(bytes));
        pass(bytes);
        return piece;
    }

    private void pass(ByteBuffer bytes) {
        length += bytes.remaining();
        sink.accept(bytes.asReadOnlyBuffer());
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    private void require(boolean isLegal, String rule) {
        if (!isLegal) {
            throw new IllegalStateException("Cannot write a part of blob " + id + ": " + rule + ".");
        }
    }
}
