package dev.blobshuffle.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The log of one topic and the commits of one group. Readers see the log up to its last stable
 * offset, and no records of aborted transactions. Guarded by the simulation's baton.
 */
final class SimulatedBroker {
    private final String topic;
    private final List<List<Entry>> logs = new ArrayList<>();
    private final long[] starts;
    private final long[] stableEnds;
    private final Map<Integer, OffsetAndMetadata> commits = new HashMap<>();

    /** The last transaction that is about to commit an offset, by partition. */
    private final Map<Integer, SimulatedTransaction> committing = new HashMap<>();

    SimulatedBroker(String topic, int partitions) {
        this.topic = topic;
        starts = new long[partitions];
        stableEnds = new long[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            logs.add(new ArrayList<>());
        }
    }

    /** An entry of the log; a control record has no record. */
    private record Entry(
            @Nullable ProducerRecord<byte[], byte[]> record,
            @Nullable SimulatedTransaction transaction) {}

    String topic() {
        return topic;
    }

    TopicPartition kafka(int partition) {
        return new TopicPartition(topic, partition);
    }

    int partitions() {
        return logs.size();
    }

    /** Appends a record, with or without a transaction. @return its offset */
    long append(ProducerRecord<byte[], byte[]> record, @Nullable SimulatedTransaction transaction) {
        List<Entry> log = logs.get(record.partition());
        log.add(new Entry(record, transaction));
        if (transaction != null) {
            transaction.atEnd(() -> mark(log, transaction));
        }
        return log.size() - 1;
    }

    /** Appends one control record per transaction and partition. */
    private static void mark(List<Entry> log, SimulatedTransaction transaction) {
        Entry last = log.get(log.size() - 1);
        if (last.record != null || last.transaction != transaction) {
            log.add(new Entry(null, transaction));
        }
    }

    /** The record at an offset below the stable end; null if readers do not see it. */
    @Nullable
    ProducerRecord<byte[], byte[]> record(int partition, long offset) {
        Entry entry = logs.get(partition).get((int) offset);
        return entry.transaction == null || entry.transaction.isCommitted() ? entry.record : null;
    }

    /** The last stable offset: all transactions below it are decided. */
    long stableEnd(int partition) {
        List<Entry> log = logs.get(partition);
        int end = (int) stableEnds[partition];
        while (end < log.size()
                && (log.get(end).transaction == null
                        || !log.get(end).transaction.isOpen())) {
            end++;
        }
        stableEnds[partition] = end;
        return end;
    }

    long end(int partition) {
        return logs.get(partition).size();
    }

    long start(int partition) {
        return starts[partition];
    }

    /** Deletes records below an offset, as Kafka Streams' purge and Kafka's retention do. */
    void purge(int partition, long before) {
        starts[partition] = Math.max(starts[partition], Math.min(before, end(partition)));
    }

    void commit(int partition, OffsetAndMetadata offset) {
        commits.put(partition, offset);
    }

    /**
     * Commits an offset with a transaction. Until the transaction ends, queries for the partition's
     * commit get no answer.
     */
    void commit(int partition, OffsetAndMetadata offset, SimulatedTransaction transaction) {
        committing.put(partition, transaction);
        transaction.atCommit(() -> commit(partition, offset));
    }

    /** Whether no transaction is about to commit an offset of the partition. */
    boolean isCommitStable(int partition) {
        SimulatedTransaction last = committing.get(partition);
        return last == null || !last.isOpen();
    }

    @Nullable
    OffsetAndMetadata committed(int partition) {
        return commits.get(partition);
    }

    /** Whether everything visible in the logs is committed. */
    boolean isConsumed() {
        for (int partition = 0; partition < partitions(); partition++) {
            OffsetAndMetadata commit = commits.get(partition);
            boolean isInside = commit != null && commit.metadata().startsWith("bs1:");
            long from = commit == null ? 0 : commit.offset();
            if (isInside || stableEnd(partition) < end(partition)) {
                return false;
            }
            for (long offset = from; offset < end(partition); offset++) {
                if (record(partition, offset) != null) {
                    return false;
                }
            }
        }
        return true;
    }
}
