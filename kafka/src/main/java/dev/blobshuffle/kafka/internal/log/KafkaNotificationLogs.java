package dev.blobshuffle.kafka.internal.log;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.settings.ConnectionSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Reads all notifications that a Kafka cluster holds, from the first to the last offset of each
 * partition. The result includes uncommitted records, since a reader may still need their blobs.
 * Owned by one thread.
 */
public final class KafkaNotificationLogs implements NotificationLogs {
    private static final Duration SCAN_TIMEOUT = Duration.ofSeconds(60);

    private final Admin admin;
    private final LogSurveyor surveyor;
    private final LeaderEnds leaderEnds;
    private final LogScan scan;

    /**
     * The logs of the cluster that the settings name.
     *
     * @param client settings of any Kafka client: where the brokers are, and security
     */
    public KafkaNotificationLogs(Map<String, ?> client, Time time) {
        Map<String, Object> settings = ConnectionSettings.ofAdmin(client, "blobshuffle-sweep");
        admin = Admin.create(settings);
        surveyor = new LogSurveyor(admin);
        Map<String, Object> consumer = ConnectionSettings.ofConsumer(settings);
        leaderEnds = new LeaderEnds(consumer, time);
        scan = new LogScan(consumer, "read_uncommitted", time);
    }

    /** An admin client for other requests; closed with the logs. */
    public Admin admin() {
        return admin;
    }

    /** The topics that exist and that the client may see. */
    @Override
    public Set<String> topics() throws InterruptedException {
        return ask("list topics", () -> admin.listTopics().names().get());
    }

    /**
     * The given topics that may exist although the client does not see them. Brokers leave topics
     * that the client may not describe out of the listing, so absence from it proves nothing.
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

    @Override
    public Map<Partition, Term> terms(Predicate<String> topics) throws InterruptedException {
        List<String> meant = topics().stream().filter(topics).toList();
        Map<Partition, Term> terms = new HashMap<>();
        surveyor.survey(meant).terms().forEach((partition, term) -> terms.put(partition(partition), term));
        return terms;
    }

    /**
     * {@inheritDoc}
     *
     * <p>The result is complete because of the order of the requests: the state of the replicas,
     * the ends of the leaders' logs, the records, and the state again
     * (docs/decisions/0007-deleting-blobs.md).
     *
     * @throws KafkaException the brokers do not answer
     */
    @Override
    public Map<Partition, Extent> read(Set<String> topics, Receiver receiver) throws InterruptedException {
        if (topics.isEmpty()) {
            return Map.of();
        }
        LogSurvey before = surveyor.survey(topics);
        Map<TopicPartition, Long> leaderEnds =
                this.leaderEnds.of(before.settledEpochs(), before.leaders(), SCAN_TIMEOUT);
        Map<TopicPartition, Long> starts = surveyor.starts(before.terms().keySet());
        Map<TopicPartition, Long> ends = new HashMap<>(before.ends());
        ends.putAll(leaderEnds);
        ends.keySet().retainAll(starts.keySet());
        Set<TopicPartition> hidden = scan.read(starts, ends, SCAN_TIMEOUT, record -> hand(record, receiver));
        LogSurvey after = surveyor.survey(topics);

        Map<Partition, Extent> extents = new HashMap<>();
        for (TopicPartition partition : before.partitions()) {
            Optional<String> doubt = before.doubt(partition)
                    .or(() -> after.doubtSince(before, partition))
                    .or(() -> missing(partition, leaderEnds.keySet(), starts.keySet(), hidden));
            long start = starts.getOrDefault(partition, 0L);
            long end = ends.getOrDefault(partition, 0L);
            extents.put(partition(partition), new Extent(start, end, before.term(partition), doubt));
        }
        return extents;
    }

    @Override
    public Optional<String> goneBack(Map<Partition, Long> starts) throws InterruptedException {
        Set<TopicPartition> partitions = new HashSet<>();
        starts.keySet()
                .forEach(partition -> partitions.add(new TopicPartition(partition.stream(), partition.number())));
        Map<TopicPartition, Long> now = partitions.isEmpty() ? Map.of() : surveyor.starts(partitions);
        for (Map.Entry<Partition, Long> log : starts.entrySet()) {
            Partition partition = log.getKey();
            Long start = now.get(new TopicPartition(partition.stream(), partition.number()));
            if (start == null) {
                return Optional.of("the leader of " + partition + " does not report where its log begins");
            }
            if (start < log.getValue()) {
                return Optional.of("the log of " + partition + " began at " + log.getValue()
                        + " when it was read, and begins at " + start + " now, so it was restored or made again");
            }
        }
        return Optional.empty();
    }

    /** The reason why records may be missing from what was read; empty if none are. */
    private static Optional<String> missing(
            TopicPartition partition,
            Set<TopicPartition> withEnd,
            Set<TopicPartition> withStart,
            Set<TopicPartition> hidden) {
        if (!withEnd.contains(partition) || !withStart.contains(partition)) {
            return Optional.of("its leader does not report where its log begins and ends");
        }
        return hidden.contains(partition)
                ? Optional.of("it has records above the high watermark, which does not advance")
                : Optional.empty();
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
        } catch (BlobCorruptException e) {
            if (isMarked) {
                throw new BlobCorruptException(
                        "Cannot sweep: the notification at offset " + record.offset()
                                + " of " + record.topic() + "-" + record.partition()
                                + " cannot be decoded, so its blob is unknown. Wait until retention deletes it, or"
                                + " delete the records up to it.",
                        e);
            }
            return Optional.empty(); // A user's bytes.
        }
    }

    private interface Question<T> {
        T ask() throws ExecutionException, InterruptedException;
    }

    private static <T> T ask(String what, Question<T> question) throws InterruptedException {
        try {
            return question.ask();
        } catch (ExecutionException e) {
            throw LogSurveyor.failed(what, e);
        }
    }

    @Override
    public void close() {
        admin.close();
    }
}
