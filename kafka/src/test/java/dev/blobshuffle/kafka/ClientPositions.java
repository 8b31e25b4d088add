package dev.blobshuffle.kafka;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * The partitions that an application owns of a topic, and what it has received from them. After
 * each assignment, a partition must start at the record of its last commit and continue without a
 * gap. Owned by the application's actor.
 */
final class ClientPositions {
    private final ClientLedger ledger;
    private final Set<Integer> owned = new HashSet<>();

    /** The place of the next expected row, for the partitions that have begun. */
    private final Map<Integer, Integer> next = new HashMap<>();

    ClientPositions(ClientLedger ledger) {
        this.ledger = ledger;
    }

    Set<Integer> owned() {
        return owned;
    }

    Map<Integer, Integer> next() {
        return next;
    }

    boolean hasMore() {
        return ledger.hasMore(next, owned);
    }

    /** Receives a record. @return whether its partition is owned */
    boolean take(ConsumerRecord<byte[], byte[]> record) {
        int partition = record.partition();
        if (!owned.contains(partition)) {
            ledger.violation("a record of partition " + partition + " came without the partition");
            return false;
        }
        int place = ledger.place(record);
        Integer expected = next.get(partition);
        int due = expected != null ? expected : ledger.start(partition);
        // Only a reader that has moved back can miss rows that the log has purged.
        boolean isPurged = due < place && place <= ledger.logStart(partition);
        if (place != due && !isPurged) {
            ledger.violation("row " + place + " of partition " + partition + " came where row " + due + " was due"
                    + (expected == null ? " at the start" : ""));
        }
        next.put(partition, place + 1);
        ledger.delivered(partition, place);
        return true;
    }

    /** Expects a partition to continue at its last commit. */
    void restart(int partition) {
        next.put(partition, ledger.start(partition));
    }

    void assigned(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            owned.add(partition.partition());
            next.remove(partition.partition());
        }
    }

    void gone(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            owned.remove(partition.partition());
            next.remove(partition.partition());
        }
    }
}
