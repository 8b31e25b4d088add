package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordCursor;
import dev.blobshuffle.core.internal.format.record.SegmentReader;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.log.internal.entries.Entries;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the first records of batches: inline records from the entries, the others from the store.
 * Owned by one thread.
 */
final class TailedRecords {
    /** The largest segment to read. A whole segment is in memory. */
    private static final long LARGEST_SEGMENT = 256L << 20;

    private final OpenLog log;
    private final BlobStore store;
    private final Keyring keys;
    private final int most;

    /**
     * A reader.
     *
     * @param store stays open
     * @param most the most records per batch
     */
    TailedRecords(OpenLog log, BlobStore store, Keyring keys, int most) {
        this.log = log;
        this.store = store;
        this.keys = keys;
        this.most = most;
    }

    /** One record. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Shape(int partition, int index, long timestamp, byte @Nullable [] key, byte @Nullable [] value) {
        String line() {
            return "  partition " + partition + " record " + index + "  " + Instant.ofEpochMilli(timestamp) + "  key "
                    + ShownData.quoted(key) + ", value " + ShownData.quoted(value) + "\n";
        }

        Map<String, @Nullable Object> json() {
            Map<String, @Nullable Object> json = new LinkedHashMap<>();
            json.put("partition", partition);
            json.put("index", index);
            json.put("timestamp_ms", timestamp);
            ShownData.put(json, "key", key);
            ShownData.put(json, "value", value);
            return json;
        }
    }

    /** The first records of a batch. */
    List<Shape> of(String topic, TailedBatch batch) {
        List<Shape> shapes = new ArrayList<>();
        for (Entries.Run run : batch.entries().runs()) {
            if (shapes.size() >= most) {
                return shapes;
            }
            if (run instanceof Entries.PlainRun plain) {
                plain(plain, shapes);
            } else if (run instanceof Entries.SegmentRun segment) {
                segment(topic, segment, shapes);
            }
        }
        return shapes;
    }

    private void plain(Entries.PlainRun run, List<Shape> shapes) {
        RecordCursor cursor = new RecordCursor();
        run.reset(cursor);
        for (int i = run.firstIndex(); shapes.size() < most && cursor.next(); i++) {
            shapes.add(new Shape(run.partition(), i, cursor.timestamp(), cursor.key(), cursor.value()));
        }
    }

    private void segment(String topic, Entries.SegmentRun run, List<Shape> shapes) {
        Notification notification = run.notification();
        if (notification.store() != store.fingerprint()) {
            throw new InvalidSettingsException(
                    "Cannot read blob " + notification.blob() + ": it is in another store than " + store.location()
                            + ". Give the store of the applications: --store.");
        }
        if (notification.segmentLength() > LARGEST_SEGMENT) {
            throw new InvalidSettingsException("Cannot show records of blob " + notification.blob() + ": a segment has "
                    + notification.segmentLength() + " bytes. Leave --show-data out.");
        }
        SegmentReader reader = new SegmentReader(
                notification, new Partition(topic, run.partition()), keys, SegmentReader.Memory.UNLIMITED);
        BlobRange range = BlobRange.of(notification.segmentOffset(), notification.segmentLength());
        try (BlobBytes bytes = log.await(store.get(notification.blob(), range), "read blob " + notification.blob())) {
            reader.input(bytes.buffer());
            for (int i = run.firstIndex(); shapes.size() < most && reader.next(); i++) {
                shapes.add(new Shape(run.partition(), i, reader.timestamp(), reader.key(), reader.value()));
            }
        }
    }
}
