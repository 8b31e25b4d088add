package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A whole application that sweeps while it runs. Kafka Streams purges its repartition topics; a
 * topic that it writes keeps its records until they are deleted as by Kafka's retention. Afterwards
 * the store has exactly the blobs that the logs refer to, and a new group reads everything that
 * Kafka still has.
 */
class SweptApplicationIT {

    @TempDir
    private Path directory;

    private EmbeddedKafka kafka;
    private Admin admin;

    @Test
    void storeHoldsWhatTheLogsLeadToAndNothingElse() throws Exception {
        kafka = EmbeddedKafka.shared();
        try (Admin opened = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            admin = opened;
            Probe.createTopics(kafka.bootstrapServers(), "swept");
            try (Probe probe = Probe.start(kafka.bootstrapServers(), "swept");
                    Instances instances = new Instances()) {
                KafkaStreams streams = instances.add(probe.instance(settings(probe)));
                await(instances, "a blob", () -> !StoredBlobs.in(uri()).isEmpty());
                probe.awaitRecords(1_000);
                Set<BlobId> early = StoredBlobs.in(uri());
                letGoOfHalf(probe.moved());
                // The sweeper works during the load: early blobs are deleted while new ones are
                // stored.
                await(instances, "a sweep", () -> !StoredBlobs.in(uri()).containsAll(early));
                probe.awaitRecords(200);
                probe.stop();
                new Drain(admin, kafka.bootstrapServers(), probe.applicationId(), List.of(probe.input()))
                        .await(instances);
                List<String> topics = topics(probe);
                await(
                        instances,
                        "nothing but what is needed",
                        () -> needed(topics).containsAll(StoredBlobs.in(uri())));
                assertThat(StoredBlobs.in(uri())).isEqualTo(needed(topics)).isNotEmpty();
                Map<String, List<String>> kept = values(probe.moved());
                assertThat(kept.values().stream().mapToInt(List::size).sum())
                        .isPositive()
                        .isEqualTo(notified(probe.moved()));
                kept.forEach((key, values) ->
                        assertThat(probe.written().get(key)).as(key).endsWith(values.toArray(String[]::new)));
                assertThat(streams.state()).isEqualTo(KafkaStreams.State.RUNNING);
            }
        }
    }

    private Map<String, Object> settings(Probe probe) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve("state").toString());
        settings.put(StreamsConfig.DEFAULT_CLIENT_SUPPLIER_CONFIG, SweptSupplier.class.getName());
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 200);
        settings.put(StreamsConfig.REPARTITION_PURGE_INTERVAL_MS_CONFIG, 500);
        settings.put("blobshuffle.store", uri());
        settings.put("blobshuffle.inline.max.bytes", "0");
        settings.put("blobshuffle.topics.include", probe.applicationId() + "-.*-repartition," + probe.moved());
        return settings;
    }

    private String uri() {
        return "file://" + directory.resolve("blobs") + "?fsync=none";
    }

    private List<String> topics(Probe probe) throws Exception {
        List<String> topics = new ArrayList<>(Drain.shuffled(admin, probe.applicationId()));
        topics.add(probe.moved());
        return topics;
    }

    /** The blobs that the current logs refer to. */
    private Set<BlobId> needed(List<String> topics) {
        return log(topics).stream()
                .filter(record -> NotificationCodec.isNotification(record.value()))
                .map(record -> NotificationCodec.decode(record.value()).blob())
                .collect(Collectors.toSet());
    }

    private List<ConsumerRecord<byte[], byte[]>> log(List<String> topics) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "auto.offset.reset",
                "earliest",
                "fetch.max.wait.ms",
                20); // A consumer that is closed waits for its last fetch.
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            return toTheEnd(consumer, topics);
        }
    }

    /** The values of a topic from its start, as a new group reads them, by key. */
    private Map<String, List<String>> values(String topic) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "auto.offset.reset",
                "earliest",
                "isolation.level",
                "read_committed",
                "group.id",
                "a-new-one",
                "blobshuffle.store",
                uri(),
                "blobshuffle.sweep.interval.ms",
                0,
                "blobshuffle.topics.include",
                topic);
        Map<String, List<String>> values = new HashMap<>();
        try (Consumer<String, String> consumer =
                new BlobConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            toTheEnd(consumer, List.of(topic))
                    .forEach(record -> values.computeIfAbsent(record.key(), key -> new ArrayList<>())
                            .add(record.value()));
        }
        return values;
    }

    private static <T> List<ConsumerRecord<T, T>> toTheEnd(Consumer<T, T> consumer, List<String> topics) {
        List<TopicPartition> partitions = topics.stream()
                .flatMap(topic -> consumer.partitionsFor(topic).stream())
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        List<ConsumerRecord<T, T>> read = new ArrayList<>();
        LogEnd.read(consumer, partitions, read::add);
        return read;
    }

    /** Deletes the first half of each partition's log, as Kafka's retention does. */
    private void letGoOfHalf(String topic) throws Exception {
        Map<TopicPartition, List<Long>> offsets = new HashMap<>();
        log(List.of(topic))
                .forEach(record -> offsets.computeIfAbsent(
                                new TopicPartition(record.topic(), record.partition()), partition -> new ArrayList<>())
                        .add(record.offset()));
        Map<TopicPartition, RecordsToDelete> cuts = new HashMap<>();
        offsets.forEach((partition, all) -> cuts.put(partition, RecordsToDelete.beforeOffset(all.get(all.size() / 2))));
        admin.deleteRecords(cuts).all().get();
    }

    /** Number of records that notifications in a topic's log refer to. */
    private int notified(String topic) {
        return log(List.of(topic)).stream()
                .filter(record -> NotificationCodec.isNotification(record.value()))
                .mapToInt(record -> NotificationCodec.decode(record.value()).records())
                .sum();
    }

    private void await(Instances instances, String what, Callable<Boolean> condition) {
        try {
            instances.await(what, condition);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    "stored: " + StoredBlobs.in(uri()).size() + ", turn: " + metric("sweep-turn") + ", sweeps: "
                            + metric("sweeps") + ", failed: " + metric("sweep-failures") + ", needed: "
                            + metric("needed-blobs"),
                    e);
        }
    }

    private static double metric(String name) {
        try {
            double sum = 0;
            for (ObjectName bean : ManagementFactory.getPlatformMBeanServer()
                    .queryNames(new ObjectName("blobshuffle:type=blobshuffle-metrics,*"), null)) {
                sum += (double) ManagementFactory.getPlatformMBeanServer().getAttribute(bean, name);
            }
            return sum;
        } catch (JMException e) {
            throw new AssertionError(e);
        }
    }
}
