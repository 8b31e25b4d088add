package dev.blobshuffle.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The log of one topic and the coordinator of one group, as the consumer group protocol (KIP-848) has
 * them: a partition gets a new owner only when the old one has let go of it, or is fenced. Guarded by the
 * simulation's baton.
 */
final class SimulatedBroker {
    static final String TOPIC = "blob-s";

    private final List<List<ProducerRecord<byte[], byte[]>>> logs = new ArrayList<>();
    private final long[] starts;
    private final Map<Integer, OffsetAndMetadata> commits = new HashMap<>();
    private final Map<Integer, Integer> targets = new HashMap<>();
    private final Map<Integer, Integer> owners = new HashMap<>();
    private final Map<Integer, Long> members = new TreeMap<>();
    private int joined;

    SimulatedBroker(int partitions) {
        starts = new long[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            logs.add(new ArrayList<>());
        }
    }

    static TopicPartition kafka(int partition) {
        return new TopicPartition(TOPIC, partition);
    }

    int partitions() {
        return logs.size();
    }

    /** Appends a record. @return its offset */
    long append(ProducerRecord<byte[], byte[]> record) {
        List<ProducerRecord<byte[], byte[]>> log = logs.get(record.partition());
        log.add(record);
        return log.size() - 1;
    }

    ProducerRecord<byte[], byte[]> record(int partition, long offset) {
        return logs.get(partition).get((int) offset);
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

    @Nullable
    OffsetAndMetadata committed(int partition) {
        return commits.get(partition);
    }

    /** Whether everything in the logs is committed. */
    boolean isConsumed() {
        for (int partition = 0; partition < partitions(); partition++) {
            OffsetAndMetadata commit = commits.get(partition);
            boolean isInside = commit == null || commit.metadata().startsWith("bs1:");
            if (end(partition) > 0 && (isInside || commit.offset() < end(partition))) {
                return false;
            }
        }
        return true;
    }

    /** A member joins. @return its number */
    int join(long nowNanos) {
        members.put(++joined, nowNanos);
        return joined;
    }

    /** A member leaves, or is taken for dead: its partitions are free. */
    void fence(int member) {
        members.remove(member);
        owners.values().removeIf(owner -> owner == member);
        targets.values().removeIf(target -> target == member);
    }

    boolean isMember(int member) {
        return members.containsKey(member);
    }

    void heartbeat(int member, long nowNanos) {
        members.computeIfPresent(member, (known, before) -> nowNanos);
    }

    /** Takes members that were silent for too long for dead. @return how many */
    int expire(long silentSinceNanos) {
        Set<Integer> silent = new HashSet<>();
        members.forEach((member, last) -> {
            if (silentSinceNanos - last > 0) {
                silent.add(member);
            }
        });
        silent.forEach(this::fence);
        return silent.size();
    }

    List<Integer> members() {
        return List.copyOf(members.keySet());
    }

    void target(int partition, int member) {
        targets.put(partition, member);
    }

    boolean isTargetless(int partition) {
        return !targets.containsKey(partition);
    }

    boolean isMeant(int partition, int member) {
        return targets.getOrDefault(partition, -1) == member;
    }

    /** Takes a partition that is meant for a member, if its last owner has let go of it. */
    boolean own(int partition, int member) {
        return isMeant(partition, member)
                && isMember(member)
                && owners.computeIfAbsent(partition, free -> member) == member;
    }

    void letGo(int partition, int member) {
        owners.remove(partition, member);
    }
}
