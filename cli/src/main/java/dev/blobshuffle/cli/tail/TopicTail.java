package dev.blobshuffle.cli.tail;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kafka.internal.log.LogScan;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The newest entries of a topic's partitions, and those that follow. Keeps as many entries per
 * partition as records are requested. Owned by one thread.
 */
final class TopicTail {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Admin admin;
    private final LogScan scan;
    private final List<TopicPartition> partitions;
    private final Map<TopicPartition, Long> next = new HashMap<>();

    private TopicTail(Admin admin, LogScan scan, List<TopicPartition> partitions) {
        this.admin = admin;
        this.scan = scan;
        this.partitions = partitions;
    }

    /**
     * A tail of a topic.
     *
     * @param numbers of partitions; empty: all
     * @throws InvalidSettingsException the topic or a partition does not exist
     */
    static TopicTail of(Admin admin, LogScan scan, String topic, Set<Integer> numbers)
            throws ExecutionException, InterruptedException {
        List<TopicPartition> all;
        try {
            all = admin.describeTopics(List.of(topic)).allTopicNames().get().values().stream()
                    .flatMap(description -> description.partitions().stream())
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                throw new InvalidSettingsException("there is no such topic. Check --topic and --bootstrap.", e);
            }
            throw e;
        }
        List<TopicPartition> partitions = all.stream()
                .filter(partition -> numbers.isEmpty() || numbers.contains(partition.partition()))
                .toList();
        if (partitions.size() < numbers.size()) {
            throw new InvalidSettingsException(
                    "it has " + all.size() + " partitions, and not all of " + numbers + ". Check --partition.");
        }
        return new TopicTail(admin, scan, partitions);
    }

    /**
     * The newest entries that contain a number of records, by partition.
     *
     * @param records most records of a partition
     * @param markers additional entries to read, which may be transaction markers
     */
    Map<Integer, List<TailedEntry>> last(int records, int markers) throws ExecutionException, InterruptedException {
        Map<TopicPartition, Long> starts = offsets(OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = offsets(OffsetSpec.latest());
        ends.forEach((partition, end) ->
                next.put(partition, Math.max(starts.getOrDefault(partition, 0L), end - records - (long) markers)));
        return read(records);
    }

    /** The entries since the last call, by partition, with at most this number of records. */
    Map<Integer, List<TailedEntry>> since(int records) {
        return read(records);
    }

    private Map<Integer, List<TailedEntry>> read(int records) {
        Map<Integer, Deque<TailedEntry>> kept = new TreeMap<>();
        scan.read(Map.copyOf(next), PATIENCE, record -> {
            Deque<TailedEntry> entries = kept.computeIfAbsent(record.partition(), any -> new ArrayDeque<>());
            entries.addLast(TailedEntry.of(record));
            if (entries.size() > records) {
                entries.removeFirst();
            }
            next.put(new TopicPartition(record.topic(), record.partition()), record.offset() + 1);
        });
        Map<Integer, List<TailedEntry>> read = new TreeMap<>();
        kept.forEach((partition, entries) -> read.put(partition, newest(entries, records)));
        return read;
    }

    /** Takes entries backwards from the end until there are enough records. */
    private static List<TailedEntry> newest(Deque<TailedEntry> entries, int records) {
        List<TailedEntry> newest = new ArrayList<>();
        long count = 0;
        while (!entries.isEmpty() && count < records) {
            TailedEntry entry = entries.removeLast();
            newest.add(0, entry);
            count += entry.records();
        }
        return newest;
    }

    private Map<TopicPartition, Long> offsets(OffsetSpec spec) throws ExecutionException, InterruptedException {
        Map<TopicPartition, ListOffsetsResultInfo> found = admin.listOffsets(
                        partitions.stream().collect(Collectors.toMap(partition -> partition, any -> spec)),
                        new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                .all()
                .get();
        return found.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().offset()));
    }
}
