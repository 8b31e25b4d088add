package dev.blobshuffle.core.internal.container;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.store.BlobStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.zip.CRC32C;

/**
 * A stored blob of Arrow or opaque content, read by its footer. Before it returns the bytes of a
 * segment, it verifies the segment's CRC32C. Thread-safe.
 */
public final class StoredContainer {
    private final Container container;
    private final BlobStore store;
    private final Executor executor;

    StoredContainer(Container container, BlobStore store, Executor executor) {
        this.container = container;
        this.store = store;
        this.executor = executor;
    }

    /** The footer. */
    public Container container() {
        return container;
    }

    /**
     * The fewest runs that cover the wanted segments and no others. Each run is in one section.
     *
     * @param isWanted chooses the segments
     * @param mostBytes the longest run, bytes; a longer segment is a run of its own
     */
    public List<SegmentRun> runs(Predicate<Container.Segment> isWanted, long mostBytes) {
        List<Container.Segment> segments = container.segments();
        List<SegmentRun> runs = new ArrayList<>();
        int first = -1;
        for (int i = 0; i < segments.size(); i++) {
            Container.Segment segment = segments.get(i);
            boolean wanted = isWanted.test(segment);
            boolean joins = first >= 0
                    && wanted
                    && segment.section() == segments.get(first).section()
                    && segment.end() - segments.get(first).offset() <= mostBytes;
            if (!joins) {
                if (first >= 0) {
                    runs.add(new SegmentRun(first, i));
                }
                first = wanted ? i : -1;
            }
        }
        if (first >= 0) {
            runs.add(new SegmentRun(first, segments.size()));
        }
        return runs;
    }

    /**
     * Reads neighbouring segments in one read, and verifies the checksum of each. Wrong bytes from
     * a cache or a peer are read again from the store.
     *
     * <p>The stage fails with {@link BlobCorrupt} if the store's bytes do not match the footer, and
     * otherwise as {@link BlobStore#get} does. The caller closes the result.
     *
     * @throws IllegalArgumentException the run is longer than an array
     */
    public CompletionStage<SegmentBytes> read(SegmentRun run) {
        List<Container.Segment> segments = container.segments().subList(run.first(), run.end());
        return CheckedRead.of(store, container.id(), range(segments), executor, bytes -> verified(segments, bytes));
    }

    /** The range of a run, in its section if it has one, so that a cache may load that section. */
    private BlobRange range(List<Container.Segment> segments) {
        Container.Segment first = segments.get(0);
        Container.Segment last = segments.get(segments.size() - 1);
        long length = last.end() - first.offset();
        if (length > Container.MAX_FRAME_LENGTH) {
            throw new IllegalArgumentException("Cannot read segments at " + first.offset() + " of blob "
                    + container.id() + " at once: they have " + length + " bytes, at most "
                    + Container.MAX_FRAME_LENGTH + " fit. Read fewer.");
        }
        if (first.section() != last.section()) {
            return BlobRange.of(first.offset(), length);
        }
        BlobSection section = container.sections().get(first.section());
        return new BlobRange(section.offset(), section.length(), first.offset(), length);
    }

    private SegmentBytes verified(List<Container.Segment> segments, BlobBytes bytes) {
        CRC32C crc = new CRC32C();
        for (int i = 0; i < segments.size(); i++) {
            crc.reset();
            crc.update(SegmentBytes.bytes(segments, i, bytes));
            Container.Segment segment = segments.get(i);
            if ((int) crc.getValue() != segment.checksum()) {
                throw new BlobCorrupt(String.format(
                        "Cannot read the segment of partition %d at [%d, +%d) of blob %s in %s: its checksum is %08x,"
                                + " and the footer says %08x. The stored bytes are damaged: write them again.",
                        segment.partition(),
                        segment.offset(),
                        segment.length(),
                        container.id(),
                        store.location(),
                        (int) crc.getValue(),
                        segment.checksum()));
            }
        }
        return new SegmentBytes(segments, bytes);
    }
}
