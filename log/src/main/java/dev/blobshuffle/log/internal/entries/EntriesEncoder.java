package dev.blobshuffle.log.internal.entries;

import dev.blobshuffle.core.internal.format.Binding;
import dev.blobshuffle.core.internal.format.ByteWriter;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordLayout;
import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects entries of one topic and encodes them ({@code docs/format.md}, "Entries of a log
 * batch"). At the size limit it starts a further batch. In their order, the batches keep the order
 * of each partition. Reusable after {@link #finish}. Owned by one thread.
 */
public final class EntriesEncoder {
    /** Magic, version, base timestamp, three counts, check. */
    private static final int FIXED_LENGTH = 2 + 8 + 3 * 5 + 4;

    private static final int PARTITION_LENGTH = PartitionRuns.headLength(Integer.MAX_VALUE);

    /** The most bytes that a segment may add: run, partition, section, blob. */
    private static final int SEGMENT_LENGTH = (1 + 5 + 10 + 10 + 5 + 1 + 4 + 4 + 10 + 10)
            + PARTITION_LENGTH
            + (5 + 10 + 10)
            + (10 + 8 + 10 + 4 + 1 + Binding.MAX_KEY_LENGTH);

    private static final int PLAIN_OVERHEAD = FIXED_LENGTH + PARTITION_LENGTH + PartitionRuns.PLAIN_HEAD_LENGTH;

    private final int maxBytes;
    private final List<EncodedEntries> full = new ArrayList<>();

    private final Map<StoredBlob, Integer> blobs = new HashMap<>();
    private final ByteWriter blobTable = new ByteWriter();
    private final Map<StoredSection, Integer> sections = new HashMap<>();
    private final ByteWriter sectionTable = new ByteWriter();
    private final TreeMap<Integer, PartitionRuns> partitions = new TreeMap<>();
    private long baseTimestamp;
    private int runsLength;
    private int records;
    private long payload;
    private long latest;

    /**
     * An encoder of batches.
     *
     * @param maxBytes the most bytes of a batch's entries, at least 1,024
     */
    public EntriesEncoder(int maxBytes) {
        if (maxBytes < 1024) {
            throw new IllegalArgumentException(
                    "Cannot encode entries into " + maxBytes + " bytes. Allow at least 1,024.");
        }
        this.maxBytes = maxBytes;
    }

    /**
     * Adds a segment.
     *
     * @param earliest the smallest timestamp of its records, milliseconds
     * @param latest the largest timestamp of its records, milliseconds
     */
    public void segment(int partition, Notification notification, long earliest, long latest) {
        boolean isOther = !blobs.isEmpty() && isOwned() != isOwned(notification.blob());
        if (isOther) { // A batch stores once whether its blobs have owners.
            full.add(encode());
        }
        makeRoom(SEGMENT_LENGTH, notification.records(), earliest);
        Binding binding = notification
                .binding()
                .orElseThrow(() -> new IllegalArgumentException(
                        "Cannot encode entries: a segment of version 1 belongs to no partition."));
        StoredBlob blob = new StoredBlob(notification.blob(), notification.store(), binding.key());
        PartitionRuns target = runs(partition);
        int before = target.length();
        target.segment(indexOf(blob, notification), notification, binding.tag(), earliest, latest);
        runsLength += target.length() - before;
        count(notification.records(), notification.segmentLength(), latest);
    }

    /**
     * Adds a plain record.
     *
     * @throws IllegalArgumentException if it is too large for a batch
     */
    public void record(int partition, long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        long size = RecordLayout.maxEncodedSize(key, value, headers);
        if (size > maxBytes - PLAIN_OVERHEAD) {
            throw new IllegalArgumentException("Cannot put a record into the log itself: it may take " + size
                    + " bytes, and at most " + (maxBytes - PLAIN_OVERHEAD)
                    + " fit. Publish it through a blob, or make it smaller.");
        }
        makeRoom((int) size + PARTITION_LENGTH + PartitionRuns.PLAIN_HEAD_LENGTH, 1, timestamp);
        PartitionRuns target = runs(partition);
        int before = target.length();
        target.record(timestamp, key, value, headers, (int) size);
        runsLength += target.length() - before;
        count(1, target.lastLength(), timestamp);
    }

    /**
     * Encodes everything added since the last call.
     *
     * @return batches in the order in which they must be committed; empty: nothing was added
     */
    public List<EncodedEntries> finish() {
        if (records > 0) {
            full.add(encode());
        }
        List<EncodedEntries> result = List.copyOf(full);
        full.clear();
        return result;
    }

    private void count(int more, long bytes, long timestamp) {
        records += more;
        payload += bytes;
        latest = Math.max(latest, timestamp);
    }

    private void makeRoom(int length, int moreRecords, long timestamp) {
        int used = FIXED_LENGTH + blobTable.length() + sectionTable.length() + runsLength;
        if (records > 0 && (used + length > maxBytes || records + moreRecords > Entries.MAX_RECORDS)) {
            full.add(encode());
        }
        if (records == 0) {
            baseTimestamp = timestamp;
            latest = Long.MIN_VALUE;
        }
    }

    private PartitionRuns runs(int partition) {
        return partitions.computeIfAbsent(partition, number -> {
            runsLength += PartitionRuns.headLength(number);
            return new PartitionRuns(baseTimestamp);
        });
    }

    private int indexOf(StoredBlob blob, Notification notification) {
        int blobIndex = blobs.computeIfAbsent(blob, added -> {
            blobTable.varlong(added.id().generation());
            blobTable.fixedLong(added.id().ownerAndWriter());
            blobTable.varlong(added.id().sequence());
            blobTable.fixedInt(added.store());
            blobTable.string(added.key().orElse(""));
            return blobs.size();
        });
        StoredSection section =
                new StoredSection(blobIndex, notification.sectionOffset(), notification.sectionLength());
        return sections.computeIfAbsent(section, added -> {
            sectionTable.varlong(added.blob());
            sectionTable.varlong(added.offset());
            sectionTable.varlong(added.length());
            return sections.size();
        });
    }

    private EncodedEntries encode() {
        ByteWriter writer = new ByteWriter();
        writer.fixedByte(EntriesCodec.MAGIC);
        writer.fixedByte(isOwned() ? EntriesCodec.OWNED_VERSION : EntriesCodec.VERSION);
        writer.fixedLong(baseTimestamp);
        writer.varlong(blobs.size());
        writer.all(blobTable);
        writer.varlong(sections.size());
        writer.all(sectionTable);
        writer.varlong(partitions.size());
        int free = 0;
        for (Map.Entry<Integer, PartitionRuns> partition : partitions.entrySet()) {
            writer.varlong(partition.getKey() - free);
            partition.getValue().writeTo(writer);
            free = partition.getKey() + 1;
        }
        writer.fixedInt(writer.checksumFrom(0));
        Set<BlobId> ids = new HashSet<>();
        for (StoredBlob blob : blobs.keySet()) {
            ids.add(blob.id());
        }
        EncodedEntries encoded = new EncodedEntries(writer.toArray(), ids, payload, latest);
        clear();
        return encoded;
    }

    private boolean isOwned() {
        return blobs.keySet().stream()
                .findFirst()
                .filter(blob -> isOwned(blob.id()))
                .isPresent();
    }

    private static boolean isOwned(BlobId id) {
        return id.owner() != BlobId.NO_OWNER;
    }

    private void clear() {
        blobs.clear();
        blobTable.clear();
        sections.clear();
        sectionTable.clear();
        partitions.clear();
        runsLength = 0;
        records = 0;
        payload = 0;
    }

    private record StoredBlob(BlobId id, int store, Optional<String> key) {}

    private record StoredSection(int blob, long offset, long length) {}
}
