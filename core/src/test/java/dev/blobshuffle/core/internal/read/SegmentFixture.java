package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.format.record.Frame;
import dev.blobshuffle.core.internal.format.record.FrameEncoder;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordLayout;
import dev.blobshuffle.core.internal.format.record.SegmentSource;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores blobs of given records, with the real writers of the format, and returns their
 * notifications. Owned by one thread.
 */
final class SegmentFixture {
    private final BlobStore store;
    private final Codec codec;
    private final Keyring keys;
    private final long writer;
    private long sequence;

    SegmentFixture(BlobStore store) {
        this(store, Codec.NONE);
    }

    SegmentFixture(BlobStore store, Codec codec) {
        this(store, codec, Keyring.none());
    }

    SegmentFixture(BlobStore store, Codec codec, Keyring keys) {
        this(store, codec, keys, 7);
    }

    SegmentFixture(BlobStore store, Codec codec, Keyring keys, long writer) {
        this.store = store;
        this.codec = codec;
        this.keys = keys;
        this.writer = writer;
    }

    /** A record to store. */
    @SuppressWarnings("ArrayRecordComponent") // Rows are never compared.
    record Row(long timestamp, byte @Nullable [] key, byte @Nullable [] value) {}

    /** Rows named {@code prefix-0}, {@code prefix-1}, and so on. */
    static List<Row> rows(String prefix, int count) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(new Row(i, null, (prefix + "-" + i).getBytes()));
        }
        return rows;
    }

    /**
     * Stores one blob with a segment per list, each in frames of at most a number of bytes. Returns
     * a notification per segment. The segments are for partitions 0, 1, 2 and so on.
     */
    List<Notification> blob(int frameBytes, List<List<Row>> segments) {
        return blob(frameBytes, segments, 0);
    }

    private List<Notification> blob(int frameBytes, List<List<Row>> segments, int firstPartition) {
        try (FrameEncoder encoder = new FrameEncoder(codec, keys)) {
            return blob(encoder, frameBytes, segments, firstPartition);
        }
    }

    private List<Notification> blob(
            FrameEncoder encoder, int frameBytes, List<List<Row>> segments, int firstPartition) {
        BlobId id = new BlobId(1, writer, sequence++);
        encoder.begin(id);
        List<SegmentSource> sources = new ArrayList<>();
        for (int i = 0; i < segments.size(); i++) {
            List<Row> rows = segments.get(i);
            long min = rows.stream().mapToLong(Row::timestamp).min().orElseThrow();
            long max = rows.stream().mapToLong(Row::timestamp).max().orElseThrow();
            Partition partition = new Partition("t", firstPartition + i);
            encoder.begin(partition);
            sources.add(new SegmentSource(Zone.SINGLE, partition, "lane", min, max, frames(encoder, frameBytes, rows)));
        }
        BlobLayout layout = BlobLayout.of(id, store.fingerprint(), 0, sources);
        store.put(layout.id(), content(layout)).toCompletableFuture().join();
        return layout.notifications();
    }

    /** Stores a blob of one segment for a partition of topic t. */
    Notification segment(int partition, int frameBytes, List<Row> rows) {
        return blob(frameBytes, List.of(rows), partition).get(0);
    }

    /** Stores a blob of one segment, for partition 0. */
    Notification segment(List<Row> rows) {
        return blob(64 << 10, List.of(rows)).get(0);
    }

    private static List<Frame> frames(FrameEncoder encoder, int frameBytes, List<Row> rows) {
        List<Frame> frames = new ArrayList<>();
        int from = 0;
        while (from < rows.size()) {
            int to = from;
            long size = 0;
            while (to < rows.size() && (to == from || size + size(rows.get(to)) <= frameBytes)) {
                size += size(rows.get(to++));
            }
            byte[] array = new byte[Math.toIntExact(size)];
            int at = 0;
            long last = 0;
            for (Row row : rows.subList(from, to)) {
                at = RecordLayout.encode(array, at, row.timestamp() - last, row.key(), row.value(), Headers.NONE);
                last = row.timestamp();
            }
            frames.add(encoder.encode(array, 0, at, to - from, 0));
            from = to;
        }
        return frames;
    }

    private static long size(Row row) {
        return RecordLayout.maxEncodedSize(row.key(), row.value(), Headers.NONE);
    }

    private static BlobContent content(BlobLayout layout) {
        return BlobContent.of(layout.buffers(), () -> {});
    }
}
