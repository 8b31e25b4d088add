package dev.blobshuffle.kafka;

import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.SegmentReader;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.kafka.internal.log.NotificationRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The rows in the log, decoded without the code under test, and which of them were acknowledged and
 * delivered. Guarded by the simulation's baton.
 */
final class ClientLedger {
    private static final int MOST_VIOLATIONS = 5;

    private final SimulatedBroker broker;
    private final MemoryBlobStore store;
    private final List<PartitionRows> partitions = new ArrayList<>();
    private final List<Acknowledged> acknowledged = new ArrayList<>();
    private final List<String> violations;

    /** Rows of committed transactions, and of aborted ones, according to their writers. */
    private final List<Sent> committed = new ArrayList<>();

    private final Set<Sent> aborted = new HashSet<>();
    private int writers;

    /** @param violations collects broken promises; ledgers of several topics may share it */
    ClientLedger(SimulatedBroker broker, MemoryBlobStore store, List<String> violations) {
        this.broker = broker;
        this.store = store;
        this.violations = violations;
        for (int partition = 0; partition < broker.partitions(); partition++) {
            partitions.add(new PartitionRows());
        }
    }

    /** A row: its writer and number, the attempt that wrote it, and its place in the log. */
    private record Row(int writer, int number, int attempt, long real, int index, int count) {}

    /** A row that an attempt sent to a partition. */
    record Sent(int writer, int number, int attempt, int partition) {}

    private record Acknowledged(int writer, int number, int partition, long offset) {}

    private static final class PartitionRows {
        private final List<Row> rows = new ArrayList<>();

        /** The place of the first row of each real offset. */
        private final List<Integer> firsts = new ArrayList<>();

        private final Map<Long, Integer> places = new HashMap<>();
        private final BitSet delivered = new BitSet();

        /** The last row's number, for each writer. */
        private final Map<Integer, Integer> last = new HashMap<>();
    }

    int newWriter() {
        return writers++;
    }

    void acknowledged(int writer, int number, int partition, long offset) {
        acknowledged.add(new Acknowledged(writer, number, partition, offset));
    }

    /** Called when a commit has returned: all rows of the transaction are in the log. */
    void committed(List<Sent> rows) {
        committed.addAll(rows);
    }

    /** Called when an abort has returned: no row of the transaction is in the log. */
    void aborted(List<Sent> rows) {
        aborted.addAll(rows);
    }

    private static long key(int writer, int number) {
        return (long) writer << 32 | number;
    }

    void delivered(int partition, int place) {
        rows(partition).delivered.set(Math.max(0, place));
    }

    void violation(String what) {
        if (violations.size() < MOST_VIOLATIONS) {
            violations.add(what);
        }
    }

    List<String> violations() {
        return List.copyOf(violations);
    }

    /** The rows of a partition in its current log. */
    private PartitionRows rows(int partition) {
        PartitionRows rows = partitions.get(partition);
        for (long offset = rows.firsts.size(); offset < broker.stableEnd(partition); offset++) {
            rows.firsts.add(rows.rows.size());
            ProducerRecord<byte[], byte[]> record = broker.record(partition, offset);
            if (record == null) {
                continue;
            }
            if (record.headers().lastHeader(NotificationRecord.HEADER) == null) {
                add(partition, rows, record.value(), offset, 0, 1);
            } else {
                Notification notification = NotificationCodec.decode(record.value());
                List<byte[]> values = values(partition, notification);
                for (int index = 0; index < values.size(); index++) {
                    add(partition, rows, values.get(index), offset, index, values.size());
                }
            }
        }
        return rows;
    }

    private void add(int partition, PartitionRows rows, byte[] value, long offset, int index, int count) {
        ByteBuffer identity = ByteBuffer.wrap(value);
        Row row = new Row(identity.getInt(), identity.getInt(), identity.getInt(), offset, index, count);
        Integer last = rows.last.put(row.writer, row.number);
        if (last != null && last >= row.number) {
            violation("row " + row.number + " of writer " + row.writer + " lies in partition " + partition + " of "
                    + broker.topic() + " behind its row " + last);
        }
        rows.places.put(key(row.writer, row.number), rows.rows.size());
        rows.rows.add(row);
    }

    private List<byte[]> values(int partition, Notification notification) {
        BlobRange range = new BlobRange(
                notification.sectionOffset(),
                notification.sectionLength(),
                notification.segmentOffset(),
                notification.segmentLength());
        List<byte[]> values = new ArrayList<>();
        try (BlobBytes bytes =
                store.get(notification.blob(), range).toCompletableFuture().join()) {
            SegmentReader reader = new SegmentReader(
                    notification,
                    new Partition(broker.topic(), partition),
                    Keyring.none(),
                    SegmentReader.Memory.UNLIMITED);
            reader.input(bytes.buffer());
            while (reader.next()) {
                values.add(reader.value());
            }
        }
        return values;
    }

    /** The place of a delivered record in its log; -1 if the log does not have it. */
    int place(ConsumerRecord<byte[], byte[]> record) {
        ByteBuffer identity = ByteBuffer.wrap(record.value());
        long key = (long) identity.getInt() << 32 | identity.getInt();
        PartitionRows rows = rows(record.partition());
        int place = rows.places.getOrDefault(key, -1);
        if (place < 0) {
            violation("a record of partition " + record.partition() + " came that its log does not lead to");
        } else if (record.offset() != offset(rows.rows.get(place)) || record.timestamp() != (int) key) {
            violation("row " + place + " of partition " + record.partition() + " came with offset " + record.offset()
                    + " and timestamp " + record.timestamp());
        }
        return place;
    }

    private static long offset(Row row) {
        long index = row.index < row.count - 1 ? row.index : (1 << 20) - 1;
        return row.real << 20 | index;
    }

    /** The virtual offset of a row; null if the log no longer has it, or not yet. */
    @Nullable
    Long virtualOffset(int partition, int place) {
        List<Row> rows = rows(partition).rows;
        if (place >= rows.size() || rows.get(place).real < broker.start(partition)) {
            return null;
        }
        return offset(rows.get(place));
    }

    /** The place at which reading starts in a partition: its last commit, or the log's start. */
    int start(int partition) {
        OffsetAndMetadata commit = broker.committed(partition);
        return commit != null ? placeOf(partition, commit) : logStart(partition);
    }

    /** The first row that the log still has. */
    int logStart(int partition) {
        return first(partition, broker.start(partition));
    }

    /** The row that a commit names, according to the documented form of its metadata. */
    int placeOf(int partition, OffsetAndMetadata commit) {
        String metadata = commit.metadata();
        int index = metadata.startsWith("bs1:") ? Integer.parseInt(metadata.split("[:+]", -1)[2]) : 0;
        int first = first(partition, commit.offset());
        int count = first(partition, commit.offset() + 1) - first;
        return first + Math.min(index, Math.max(0, count - 1));
    }

    private int first(int partition, long offset) {
        PartitionRows rows = rows(partition);
        return offset < rows.firsts.size() ? rows.firsts.get((int) offset) : rows.rows.size();
    }

    private void checkTransactions() {
        for (Sent row : committed) {
            PartitionRows rows = rows(row.partition);
            Integer place = rows.places.get(key(row.writer, row.number));
            if (place == null || rows.rows.get(place).attempt != row.attempt) {
                violation("row " + row.number + " of writer " + row.writer + " was committed and is not in "
                        + broker.topic());
            }
        }
        for (int partition = 0; partition < partitions.size(); partition++) {
            for (Row row : rows(partition).rows) {
                if (aborted.contains(new Sent(row.writer, row.number, row.attempt, partition))) {
                    violation("row " + row.number + " of writer " + row.writer + " was aborted and lies in "
                            + broker.topic());
                }
            }
        }
    }

    /** Whether there is a row to read after the given places. */
    boolean hasMore(Map<Integer, Integer> next, Set<Integer> owned) {
        return owned.stream().anyMatch(partition -> {
            Integer at = next.get(partition);
            return (at != null ? at : start(partition)) < rows(partition).rows.size();
        });
    }

    /** Checks that this log has exactly the rows of another topic's log, in the same partitions. */
    void checkCopyOf(ClientLedger other) {
        for (int partition = 0; partition < broker.partitions(); partition++) {
            Set<Long> expected = other.rows(partition).places.keySet();
            Set<Long> found = rows(partition).places.keySet();
            for (Long key : expected) {
                if (!found.contains(key)) {
                    violation("row " + key.intValue() + " of writer " + (key >> 32) + " was consumed from partition "
                            + partition + " and is not in " + broker.topic());
                }
            }
            for (Long key : found) {
                if (!expected.contains(key)) {
                    violation("row " + key.intValue() + " of writer " + (key >> 32) + " lies in " + broker.topic()
                            + " and was never consumed");
                }
            }
        }
    }

    /**
     * Checks that every row in the logs was delivered, and that every acknowledged row is at its
     * acknowledged offset.
     */
    void checkEnd() {
        for (int partition = 0; partition < broker.partitions(); partition++) {
            PartitionRows rows = rows(partition);
            if (rows.delivered.cardinality() < rows.rows.size()) {
                violation(
                        "row " + rows.delivered.nextClearBit(0) + " of partition " + partition + " was not delivered");
            }
        }
        checkTransactions();
        for (Acknowledged one : acknowledged) {
            PartitionRows rows = rows(one.partition);
            Integer place = rows.places.get(key(one.writer, one.number));
            if (place == null) {
                violation("row " + one.number + " of writer " + one.writer + " was acknowledged and is not in the log");
            } else if (offset(rows.rows.get(place)) != one.offset) {
                violation("row " + one.number + " of writer " + one.writer + " was acknowledged at offset " + one.offset
                        + " and lies at " + offset(rows.rows.get(place)));
            }
        }
    }
}
