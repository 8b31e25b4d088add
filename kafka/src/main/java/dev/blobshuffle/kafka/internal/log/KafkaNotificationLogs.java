package dev.blobshuffle.kafka.internal.log;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The logs of a cluster, read whole and uncommitted records included: whatever somebody may still
 * come for. Owned by one thread.
 */
public final class KafkaNotificationLogs implements NotificationLogs {
    private static final Duration SCAN_TIMEOUT = Duration.ofSeconds(60);

    private final Admin admin;
    private final LogScan scan;

    /**
     * The logs of the cluster that the settings name.
     *
     * @param client settings of any Kafka client: where the brokers are, and security
     */
    public KafkaNotificationLogs(Map<String, ?> client, Time time) {
        admin = Admin.create(known(client, AdminClientConfig.configNames()));
        scan = new LogScan(known(client, ConsumerConfig.configNames()), "read_uncommitted", time);
    }

    /**
     * What each kind of client knows of what all kinds know, without what belongs to the
     * application's own clients.
     */
    private static Map<String, Object> known(Map<String, ?> client, Set<String> names) {
        Map<String, Object> known = new HashMap<>(client);
        known.keySet().retainAll(AdminClientConfig.configNames());
        known.keySet().retainAll(names);
        known.values().removeIf(value -> value == null);
        known.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG);
        known.put(AdminClientConfig.CLIENT_ID_CONFIG, "blobshuffle-sweep");
        return known;
    }

    /** For questions beside the logs; closed with them. */
    public Admin admin() {
        return admin;
    }

    /** The topics that there are, and that the client may see. */
    @Override
    public Set<String> topics() throws InterruptedException {
        return ask("list topics", () -> admin.listTopics().names().get());
    }

    /**
     * Those of some topics that the client may not see, or that do exist: the brokers' listing
     * leaves them out, and that says nothing about them.
     */
    public Set<String> hidden(Set<String> topics) throws InterruptedException {
        Set<String> hidden = new TreeSet<>();
        for (String topic : topics) {
            try {
                TopicDescription ignored = admin.describeTopics(List.of(topic))
                        .allTopicNames()
                        .get()
                        .get(topic);
                hidden.add(topic);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof AuthorizationException) {
                    hidden.add(topic);
                } else if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw new KafkaException("Cannot describe topic " + topic + ": " + e.getCause(), e.getCause());
                }
            }
        }
        return hidden;
    }

    /**
     * {@inheritDoc}
     *
     * @throws KafkaException the brokers do not answer, or a topic is not there any more
     */
    @Override
    public Map<Partition, Extent> read(Set<String> topics, Receiver receiver) throws InterruptedException {
        if (topics.isEmpty()) {
            return Map.of();
        }
        List<TopicPartition> partitions = partitions(topics);
        Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest());
        Map<TopicPartition, Long> starts = offsets(partitions, OffsetSpec.earliest());
        scan.read(starts, SCAN_TIMEOUT, record -> hand(record, receiver));
        return partitions.stream()
                .collect(Collectors.toMap(
                        KafkaNotificationLogs::partition,
                        partition -> new Extent(starts.getOrDefault(partition, 1L), ends.getOrDefault(partition, 0L))));
    }

    private static Partition partition(TopicPartition partition) {
        return new Partition(partition.topic(), partition.partition());
    }

    private static void hand(ConsumerRecord<byte[], byte[]> record, Receiver receiver) {
        if (NotificationCodec.isNotification(record.value())) {
            boolean isMarked = record.headers().lastHeader(NotificationRecord.HEADER) != null;
            decode(record, isMarked)
                    .ifPresent(notification -> receiver.notification(
                            new Partition(record.topic(), record.partition()),
                            record.offset(),
                            notification,
                            isMarked));
        }
        try {
            receiver.read(Math.max(0, record.serializedKeySize()) + (long) Math.max(0, record.serializedValueSize()));
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private static Optional<Notification> decode(ConsumerRecord<byte[], byte[]> record, boolean isMarked) {
        try {
            return Optional.of(NotificationCodec.decode(record.value()));
        } catch (BlobCorrupt e) {
            if (isMarked) {
                throw new BlobCorrupt(
                        "Cannot sweep: nobody knows to which blob the notification at offset " + record.offset()
                                + " of " + record.topic() + "-" + record.partition()
                                + " leads. Wait until the log has let it go, or give it up by deleting records.",
                        e);
            }
            return Optional.empty(); // A user's bytes.
        }
    }

    private List<TopicPartition> partitions(Set<String> topics) throws InterruptedException {
        return ask(
                "describe topics",
                () -> admin.describeTopics(topics).allTopicNames().get().values().stream()
                        .flatMap(topic -> topic.partitions().stream()
                                .map(info -> new TopicPartition(topic.name(), info.partition())))
                        .toList());
    }

    private Map<TopicPartition, Long> offsets(List<TopicPartition> partitions, OffsetSpec which)
            throws InterruptedException {
        Map<TopicPartition, ListOffsetsResultInfo> found = ask(
                "find the starts and ends of logs",
                () -> admin.listOffsets(partitions.stream().collect(Collectors.toMap(p -> p, p -> which)))
                        .all()
                        .get());
        Map<TopicPartition, Long> offsets = new HashMap<>();
        found.forEach((partition, info) -> offsets.put(partition, info.offset()));
        return offsets;
    }

    private interface Question<T> {
        T ask() throws ExecutionException, InterruptedException;
    }

    private static <T> T ask(String what, Question<T> question) throws InterruptedException {
        try {
            return question.ask();
        } catch (ExecutionException e) {
            throw new KafkaException(
                    "Cannot " + what + ": " + e.getCause()
                            + ". Check the brokers, and that the client may describe and read the topics.",
                    e.getCause());
        }
    }

    @Override
    public void close() {
        admin.close();
    }
}
