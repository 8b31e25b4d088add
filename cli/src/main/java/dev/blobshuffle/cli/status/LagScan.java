package dev.blobshuffle.cli.status;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.kafka.internal.log.LogScan;
import dev.blobshuffle.kafka.internal.log.NotificationRecord;
import dev.blobshuffle.kafka.internal.position.CommitTranslation;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Counts the notifications that a group has not read yet, and their records. It reads only the
 * newest entries of each partition. Owned by one thread.
 */
final class LagScan {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Admin admin;
    private final LogScan scan;
    private final long most;

    /** The number of unread notifications by the store that they lead to. */
    private final Map<Integer, Long> byStore = new HashMap<>();

    /** @param most entries to read per partition */
    LagScan(Admin admin, LogScan scan, long most) {
        this.admin = admin;
        this.scan = scan;
        this.most = most;
    }

    /** The lag of a group in partitions, in their order. */
    List<PartitionLag> of(String group, List<TopicPartition> partitions)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed = committed(group);
        Map<TopicPartition, Long> starts = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest());
        Map<TopicPartition, Counts> counts = new HashMap<>();
        Map<TopicPartition, Long> from = new HashMap<>();
        for (TopicPartition partition : partitions) {
            long start = starts.getOrDefault(partition, 0L);
            OffsetAndMetadata position = committed.get(partition);
            long first = position == null ? start : Math.max(start, position.offset());
            long looked = Math.max(first, ends.getOrDefault(partition, 0L) - most);
            counts.put(partition, new Counts(Optional.ofNullable(position), looked > first, byStore));
            from.put(partition, looked);
        }
        scan.read(
                from,
                PATIENCE,
                record -> counts.getOrDefault(new TopicPartition(record.topic(), record.partition()), Counts.NONE)
                        .add(record));
        List<PartitionLag> lags = new ArrayList<>();
        counts.forEach((partition, count) -> {
            long end = ends.getOrDefault(partition, 0L);
            lags.add(count.lag(partition, end, end - starts.getOrDefault(partition, 0L)));
        });
        lags.sort(Comparator.comparing((PartitionLag lag) -> lag.partition().topic())
                .thenComparing(lag -> lag.partition().partition()));
        return lags;
    }

    /**
     * The number of unread notifications that lead to another store.
     *
     * @param fingerprint of the store
     */
    long elsewhere(int fingerprint) {
        return byStore.entrySet().stream()
                .filter(count -> count.getKey() != fingerprint)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private Map<TopicPartition, OffsetAndMetadata> committed(String group)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>(admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get());
        committed.values().removeIf(position -> position == null);
        return committed;
    }

    private Map<TopicPartition, Long> offsets(List<TopicPartition> partitions, OffsetSpec spec)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, ListOffsetsResultInfo> found = admin.listOffsets(
                        partitions.stream().collect(Collectors.toMap(Function.identity(), any -> spec)),
                        new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                .all()
                .get();
        return found.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().offset()));
    }

    /** The unread entries of one partition. */
    private static final class Counts {
        /** Collects the records of partitions that were not requested. */
        private static final Counts NONE = new Counts(Optional.empty(), false, new HashMap<>());

        private final Optional<OffsetAndMetadata> committed;
        private final boolean isCut;
        private final Map<Integer, Long> byStore;
        private long notifications;
        private long records;
        private long bytes;
        private Optional<Long> oldest = Optional.empty();

        private Counts(Optional<OffsetAndMetadata> committed, boolean isCut, Map<Integer, Long> byStore) {
            this.committed = committed;
            this.isCut = isCut;
            this.byStore = byStore;
        }

        void add(ConsumerRecord<byte[], byte[]> record) {
            long writtenAt = record.timestamp();
            if (!NotificationRecord.isNotification(record) && !NotificationRecord.isNotificationOfOperators(record)) {
                records++;
                remember(writtenAt);
                return;
            }
            try {
                Notification notification = NotificationCodec.decode(record.value());
                records += notification.records() - passed(record.offset());
                bytes += notification.segmentLength();
                long ignored = byStore.merge(notification.store(), 1L, Long::sum);
                // Timestamps may be event times from long ago.
                writtenAt = Math.max(writtenAt, notification.blob().generation() * BlobId.MILLIS_PER_GENERATION);
            } catch (BlobShuffleException e) {
                // The notification is of a later version or damaged. It counts, with unknown size.
            }
            notifications++;
            remember(writtenAt);
        }

        private void remember(long writtenAt) {
            if (oldest.isEmpty()) {
                oldest = Optional.of(writtenAt);
            }
        }

        /** The number of a notification's records that the group has already read. */
        private int passed(long offset) {
            return committed
                    .filter(position -> position.offset() == offset)
                    .map(position -> VirtualOffset.index(
                            CommitTranslation.toVirtual(position).offset()))
                    .orElse(0);
        }

        PartitionLag lag(TopicPartition partition, long end, long held) {
            return new PartitionLag(
                    partition,
                    committed.map(OffsetAndMetadata::offset),
                    end,
                    held,
                    notifications,
                    records,
                    bytes,
                    oldest,
                    isCut);
        }
    }
}
