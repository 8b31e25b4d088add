package dev.blobshuffle.cli.tail;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.SegmentReader;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads the last records of segments from a store. Owned by one thread. */
final class SegmentRecords {
    /** The largest segment to read. A whole segment is in memory. */
    private static final long LARGEST_SEGMENT = 256L << 20;

    private final BlobStore store;
    private final Keyring keys;
    private final StopSignal waiting;

    SegmentRecords(BlobStore store, Keyring keys, StopSignal waiting) {
        this.store = store;
        this.keys = keys;
        this.waiting = waiting;
    }

    /**
     * Passes the records of an entry to a receiver.
     *
     * @param skipped number of records to skip at the start of the segment
     * @throws java.util.concurrent.CompletionException the store failed
     * @throws dev.blobshuffle.core.failure.BlobShuffleException the segment is unreadable
     */
    void read(TailedEntry entry, Notification notification, int skipped, Consumer<TailedRecord> receiver)
            throws InterruptedException {
        if (notification.store() != store.fingerprint()) {
            throw new InvalidSettingsException(
                    "Cannot read blob " + notification.blob() + ": it is in another store than " + store.location()
                            + ". Give the store of the application: --store.");
        }
        if (notification.segmentLength() > LARGEST_SEGMENT) {
            throw new InvalidSettingsException("Cannot read a segment of blob " + notification.blob() + ": it has "
                    + notification.segmentLength() + " bytes. Leave --store out to see its notification.");
        }
        Partition partition =
                new Partition(entry.record().topic(), entry.record().partition());
        SegmentReader reader = new SegmentReader(notification, partition, keys, SegmentReader.Memory.UNLIMITED);
        BlobRange range = BlobRange.of(notification.segmentOffset(), notification.segmentLength());
        try (BlobBytes bytes = waiting.await(store.get(notification.blob(), range))) {
            reader.input(bytes.buffer());
            reader.skip(skipped);
            while (reader.next()) {
                receiver.accept(new TailedRecord(
                        partition.number(),
                        entry.record().offset(),
                        reader.index(),
                        notification.records(),
                        Optional.of(notification),
                        reader.timestamp(),
                        reader.key(),
                        reader.value()));
            }
        }
    }
}
