package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.container.Footers;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.flight.internal.wire.ArrowMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;

/** The verified footer of a blob of Arrow content, and its prelude. Immutable. */
public final class BlobFooter {
    private final Fingerprint fingerprint;
    private final Container container;
    private final ByteBuffer prelude;
    private final ByteBuffer schema;
    private final List<ArrowMessage> dictionaries;

    /**
     * Segments in the order of their partitions; those of one partition in the order of the blob.
     */
    private final List<Container.Segment> segments;

    BlobFooter(Fingerprint fingerprint, Container container, ByteBuffer prelude, String what) {
        this.fingerprint = fingerprint;
        this.container = container;
        this.prelude = prelude;
        List<ArrowMessage> messages = ArrowMessage.split(prelude, "the prelude of " + what);
        if (messages.isEmpty() || messages.get(0).kind() != ArrowMessage.Kind.SCHEMA) {
            throw new BlobCorruptException("Cannot read " + what + ": its prelude has no schema. Write it again.");
        }
        ArrowMessage first = messages.get(0);
        schema = prelude.slice(
                0,
                ArrowMessage.PREFIX_LENGTH
                        + first.metadata().remaining()
                        + first.body().remaining());
        dictionaries = List.copyOf(messages.subList(1, messages.size()));
        List<Container.Segment> sorted = new ArrayList<>(container.segments());
        sorted.sort(Comparator.comparingInt(Container.Segment::partition));
        segments = sorted;
    }

    Fingerprint fingerprint() {
        return fingerprint;
    }

    Container container() {
        return container;
    }

    /** The schema message, including the 8 bytes before its metadata. */
    public ByteBuffer schema() {
        return schema.duplicate();
    }

    /** The schema message. */
    public ArrowMessage schemaMessage() {
        return ArrowMessage.split(schema(), "a schema").get(0);
    }

    /** The dictionaries that all frames share. */
    public List<ArrowMessage> dictionaries() {
        return dictionaries;
    }

    /** The segments of a range of partitions, in the order of the partitions. */
    public List<Container.Segment> segments(PartitionRange range) {
        return segments.subList(firstAtOrAbove(range.first()), firstAtOrAbove(range.end()));
    }

    /**
     * Whether a range of bytes contains only bytes of these partitions, the prelude, the postlude
     * and the footer.
     */
    public boolean isWithin(PartitionRange partitions, long first, long end) {
        List<Container.Segment> inOrder = new ArrayList<>(segments(partitions));
        inOrder.sort(Comparator.comparingLong(Container.Segment::offset));
        long at = first < prelude.capacity() ? prelude.capacity() : first;
        for (Container.Segment segment : inOrder) {
            if (segment.offset() <= at) {
                at = Math.max(at, segment.offset() + segment.length());
            }
        }
        return at >= end || at >= container.postlude().orElseThrow().offset();
    }

    private int firstAtOrAbove(int partition) {
        int low = 0;
        int high = segments.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (segments.get(middle).partition() < partition) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Requires that partitions exist, if the blob states their number.
     *
     * @throws RefusedException a partition does not exist
     */
    public void require(PartitionRange range) {
        int count = container.partitions().orElse(Integer.MAX_VALUE);
        if (range.end() > count) {
            throw new RefusedException(
                    RefusedException.Reason.INVALID,
                    "Cannot read partitions " + range + ": the shuffle has " + count
                            + ", counted from 0. Ask for those.");
        }
    }

    /** The number of partitions of the shuffle; empty if the blob does not state it. */
    public OptionalInt partitions() {
        return container.partitions();
    }

    /** The number of rows in all segments. */
    public long rows() {
        return container.rows().orElse(0);
    }

    /** Length of the blob, bytes. */
    public long length() {
        return fingerprint.length();
    }

    /** The approximate size in memory, bytes. */
    long weight() {
        return Footers.weight(container) + prelude.capacity();
    }
}
