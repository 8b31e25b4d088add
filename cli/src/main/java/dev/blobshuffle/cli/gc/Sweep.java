package dev.blobshuffle.cli.gc;

import dev.blobshuffle.cli.drained.LogScan;
import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.format.Notification;
import dev.blobshuffle.core.format.NotificationCodec;
import dev.blobshuffle.kafka.NotificationRecord;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Which of the stored blobs nobody can read any more. A blob is needed while a notification to it lies in a log, committed or not: then a group that is behind, a consumer that seeks
 * back and a group that is new all find it. Kafka's own retention, and Kafka Streams' purging of repartition topics, take notifications away, and blobs follow.
 *
 * <p>No clock takes part. The blobs are listed first; then the caller waits longer than a stored blob can be without its notification, and only then the logs are read, from their
 * starts to the ends that they have now. So a blob of the list to which no notification leads will never have one: its writer crashed, its transaction was given up, or the log has let
 * it go. What is stored after the listing is not looked at. Hence a sweep may be killed at any moment, and several may run.
 *
 * <p>The footer of a blob names the topics that may lead to it, so none can be forgotten: if one of them is not in this cluster, the blob is kept.
 *
 * @param unneeded blobs to delete
 * @param unknownTopics topics that blobs name and this cluster does not have
 * @param kept number of blobs that are kept because of such a topic
 */
record Sweep(Set<BlobId> unneeded, Set<String> unknownTopics, int kept) {
    private static final Duration SCAN_TIMEOUT = Duration.ofSeconds(60);

    /**
     * Reads the logs.
     *
     * @param stored blobs that were listed long enough ago
     * @param fingerprint the store's
     * @param forgotten topics that are known to be deleted: they lead to nothing
     * @throws InvalidSettings the topics' notifications lead to another store: this is not its cluster
     */
    static Sweep of(StoredBlobs stored, int fingerprint, Set<String> forgotten, Admin admin, LogScan scan)
            throws ExecutionException, InterruptedException {
        Set<String> existing = admin.listTopics().names().get();
        Set<String> named =
                stored.topics().values().stream().flatMap(Set::stream).collect(Collectors.toCollection(TreeSet::new));
        Set<String> unknown = new TreeSet<>(named);
        unknown.removeAll(existing);
        unknown.removeAll(forgotten);
        Set<BlobId> unneeded = new LinkedHashSet<>(stored.topics().keySet());
        named.retainAll(existing);
        Marks marks = new Marks(fingerprint, unneeded);
        scan.read(starts(admin, named), SCAN_TIMEOUT, marks::mark);
        marks.requireOwn();
        int before = unneeded.size();
        unneeded.removeIf(
                id -> stored.topics().getOrDefault(id, Set.of()).stream().anyMatch(unknown::contains));
        return new Sweep(unneeded, unknown, before - unneeded.size());
    }

    private static Map<TopicPartition, Long> starts(Admin admin, Set<String> topics)
            throws ExecutionException, InterruptedException {
        List<TopicPartition> partitions = admin.describeTopics(topics).allTopicNames().get().values().stream()
                .flatMap(topic ->
                        topic.partitions().stream().map(info -> new TopicPartition(topic.name(), info.partition())))
                .toList();
        Map<TopicPartition, ListOffsetsResultInfo> earliest = admin.listOffsets(
                        partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.earliest())))
                .all()
                .get();
        Map<TopicPartition, Long> starts = new HashMap<>();
        earliest.forEach((partition, start) -> starts.put(partition, start.offset()));
        return starts;
    }

    /** Takes off what notifications lead to. */
    private static final class Marks {
        private final int fingerprint;
        private final Set<BlobId> unmarked;
        private final Set<String> strangers = new TreeSet<>();

        Marks(int fingerprint, Set<BlobId> unmarked) {
            this.fingerprint = fingerprint;
            this.unmarked = unmarked;
        }

        /** Whatever may be a notification counts, with or without its header; one that cannot be read ends the sweep. */
        void mark(ConsumerRecord<byte[], byte[]> record) {
            if (!NotificationCodec.isNotification(record.value())) {
                return;
            }
            boolean isMarked = record.headers().lastHeader(NotificationRecord.HEADER) != null;
            try {
                Notification notification = NotificationCodec.decode(record.value());
                unmarked.remove(notification.blob());
                if (isMarked && notification.store() != fingerprint) {
                    strangers.add(record.topic());
                }
            } catch (BlobCorrupt e) {
                if (isMarked) {
                    throw new BlobCorrupt(
                            "Cannot sweep: nobody knows to which blob the notification at offset " + record.offset()
                                    + " of " + record.topic() + "-" + record.partition()
                                    + " leads. Wait until the log has let it go, or give it up by deleting records.",
                            e);
                }
            }
        }

        void requireOwn() {
            if (!strangers.isEmpty()) {
                throw new InvalidSettings(
                        "Cannot sweep: notifications in topics " + strangers
                                + " lead to another store, so this may be another cluster than the one that uses this store. Check --bootstrap and --store.");
            }
        }
    }
}
