package dev.blobshuffle.core.internal.container;

import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.store.BlobBytes;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The verified bytes of neighbouring segments, on loan to the reader. The reader closes them and
 * does not use them afterwards. Owned by one thread at a time.
 */
public final class SegmentBytes implements AutoCloseable {
    private final List<Container.Segment> segments;
    private final BlobBytes loan;

    SegmentBytes(List<Container.Segment> segments, BlobBytes loan) {
        this.segments = segments;
        this.loan = loan;
    }

    /** The segments, in their order in the blob. */
    public List<Container.Segment> segments() {
        return segments;
    }

    /** The bytes of the segment at an index of {@link #segments}, as a new read-only view. */
    public ByteBuffer bytes(int index) {
        return bytes(segments, index, loan);
    }

    static ByteBuffer bytes(List<Container.Segment> segments, int index, BlobBytes loan) {
        Container.Segment segment = segments.get(index);
        ByteBuffer all = loan.buffer();
        long offset = segment.offset() - segments.get(0).offset();
        return all.slice(all.position() + (int) offset, (int) segment.length());
    }

    /** Returns the loan. Idempotent. */
    @Override
    public void close() {
        loan.close();
    }
}
