package dev.blobshuffle.kafka.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.BlobListing;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.NotificationLogs.Extent;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.Sweep;
import dev.blobshuffle.core.internal.retention.SweepPace;
import dev.blobshuffle.core.internal.retention.SweepReport;
import dev.blobshuffle.core.internal.retention.SweepScope;
import dev.blobshuffle.core.internal.retention.SweepTiming;
import dev.blobshuffle.core.internal.retention.Sweeper;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafka.internal.claim.ClaimIdentity;
import dev.blobshuffle.kafka.internal.claim.ClaimedLogs;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import dev.blobshuffle.kafkaembedded.KafkaProcess;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Logs in which earlier records may still appear, on three failing brokers. To place a record above
 * the high watermark, producers write with {@code acks=1}. With {@code acks=all}, that works only
 * in the seconds before the replica leaves the in-sync replicas.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class UnsettledLogsIT {
    private static final BlobLifetime NO_FLOOR = new BlobLifetime(Optional.empty(), Duration.ZERO);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final SweepTiming OFTEN = new SweepTiming(Duration.ofSeconds(1), Duration.ofMillis(50));

    private static KafkaProcess kafka;
    private static Admin admin;

    @TempDir
    private Path directory;

    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics(time);

    @BeforeAll
    static void start() {
        kafka = KafkaProcess.builder().brokers(3).heapMebibytes(192).start();
        admin = Admin.create(client());
    }

    @AfterAll
    static void stop() {
        admin.close();
        kafka.close();
    }

    @AfterEach
    void close() {
        time.close();
        kafka.restart(IntStream.range(0, kafka.brokers())
                .filter(node -> !kafka.isRunning(node))
                .toArray());
    }

    private static Map<String, Object> client() {
        return Map.of("bootstrap.servers", kafka.bootstrapServers());
    }

    private static void create(String topic, int leastInSync, Integer... replicas) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, Map.of(0, List.of(replicas)))
                        .configs(Map.of("min.insync.replicas", Integer.toString(leastInSync)))))
                .all()
                .get();
        awaitInSync(topic, replicas);
    }

    private static void awaitInSync(String topic, Integer... replicas) {
        await(topic)
                .atMost(PATIENCE)
                .ignoreExceptionsMatching(e -> e.getCause() instanceof UnknownTopicOrPartitionException)
                .until(() -> inSync(topic).equals(Set.of(replicas)));
    }

    private static Set<Integer> inSync(String topic) throws Exception {
        TopicPartitionInfo info = admin.describeTopics(List.of(topic))
                .allTopicNames()
                .get()
                .get(topic)
                .partitions()
                .get(0);
        return Set.copyOf(info.isr().stream().map(Node::id).toList());
    }

    private Map<String, Object> settings(String topic, Object... more) {
        Map<String, Object> settings = new HashMap<>(client());
        settings.put("blobshuffle.store", directory.toUri() + "?fsync=none");
        settings.put("blobshuffle.topics.include", topic);
        settings.put("blobshuffle.inline.max.bytes", 0);
        for (int i = 0; i < more.length; i += 2) {
            settings.put((String) more[i], more[i + 1]);
        }
        return settings;
    }

    private void write(String topic, String value, String acks) throws Exception {
        Map<String, Object> settings = settings(topic, "acks", acks, "enable.idempotence", acks.equals("all"));
        try (Producer<String, String> producer =
                new BlobProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, 0, "k", value)).get();
        }
    }

    private List<String> read(String topic, int count) {
        List<String> read = new ArrayList<>();
        try (Consumer<String, String> consumer = new BlobConsumer<>(
                settings(topic, "auto.offset.reset", "earliest", "blobshuffle.sweep.interval.ms", 0),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            await("records").atMost(PATIENCE).pollInSameThread().until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> read.add(record.value()));
                return read.size() >= count;
            });
        }
        return read;
    }

    private static void purgeBefore(String topic, long offset) throws Exception {
        admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset)))
                .all()
                .get();
    }

    private BlobStore store() {
        return BlobStores.openUnchecked(directory.toUri() + "?fsync=none", StoreContext.unmetered(time));
    }

    private long blobs() {
        return LiveFiles.blobs(directory.resolve("blobs")).size();
    }

    private static void awaitThat(Callable<Boolean> condition) {
        await("the sweeper").atMost(PATIENCE).until(condition);
    }

    private KafkaNotificationLogs logs() {
        return new KafkaNotificationLogs(client(), time);
    }

    private Map<Partition, Extent> extents(String... topics) throws Exception {
        try (KafkaNotificationLogs logs = logs()) {
            return logs.read(Set.of(topics), new NotificationLogs.Receiver() {
                @Override
                public void notification(
                        Partition partition, long position, Notification notification, boolean isMarked) {}

                @Override
                public void read(long bytes) {}
            });
        }
    }

    private static String doubt(Map<Partition, Extent> extents, String topic) {
        return extents.get(new Partition(topic, 0)).doubt().orElse("none");
    }

    /**
     * Since 4.0, a leader below {@code min.insync.replicas} does not show new records (KIP-966).
     */
    @Test
    void theBlobOfARecordAboveTheHighWatermarkStaysUntilItIsVisible() throws Exception {
        String topic = "above";
        create(topic, 2, 0, 1);
        write(topic, "visible", "all");
        kafka.kill(1);
        awaitInSync(topic, 0);
        write(topic, "hidden", "1");
        assertThat(blobs()).isEqualTo(2);
        ClaimedLogs source =
                new ClaimedLogs(ClaimIdentity.ofClients(KafkaSettings.parse(settings(topic)), client()), topic::equals);
        try (Sweeper sweeper = new Sweeper(Optional.of(OFTEN), NO_FLOOR, this::store, source, metrics, time)) {
            sweeper.watch(Membership.none()).reading().reads(Set.of(new Partition(topic, 0)));
            awaitThat(() -> metrics.value(Counter.SWEEPS) >= 3);
            assertThat(blobs()).isEqualTo(2);
            assertThat(metrics.value(Gauge.UNSETTLED_BLOBS)).isEqualTo(1);
            assertThat(metrics.value(Gauge.NEEDED_BLOBS)).isEqualTo(1);

            kafka.restart(1);
            awaitInSync(topic, 0, 1);
            assertThat(read(topic, 2)).containsExactly("visible", "hidden");
            awaitThat(() -> metrics.value(Gauge.NEEDED_BLOBS) == 2);
            purgeBefore(topic, 1);
            awaitThat(() -> blobs() == 1);
            assertThat(read(topic, 1)).containsExactly("hidden");
        }
    }

    @Test
    void aBrokerThatIsDownPutsOnlySomePartitionsInDoubt() throws Exception {
        create("whole", 1, 0, 2);
        create("spare", 1, 0, 1);
        create("short", 2, 0, 1);
        create("alone", 1, 1);
        kafka.kill(1);
        awaitInSync("spare", 0);
        awaitInSync("short", 0);
        await("no leader").atMost(PATIENCE).until(() -> {
            try (KafkaNotificationLogs logs = logs()) {
                return !logs.terms("alone"::equals).containsKey(new Partition("alone", 0));
            }
        });
        Map<Partition, Extent> extents = extents("whole", "spare", "short", "alone");
        assertThat(doubt(extents, "whole")).isEqualTo("none");
        assertThat(doubt(extents, "spare")).isEqualTo("none");
        assertThat(doubt(extents, "short")).contains("[1]");
        assertThat(doubt(extents, "alone")).isEqualTo("it has no leader");

        kafka.restart(1);
        awaitInSync("spare", 0, 1);
        assertThat(doubt(extents("spare"), "spare")).isEqualTo("none");
    }

    /** A Kafka client logs each answer that it drops because another answer is pending. */
    @Test
    void readingLogsOfSeveralBrokersLogsNothing() throws Exception {
        String[] topics =
                IntStream.range(0, 9).mapToObj(number -> "quiet-" + number).toArray(String[]::new);
        for (int i = 0; i < topics.length; i++) {
            create(topics[i], 1, i % 3);
            write(topics[i], "v", "all");
            purgeBefore(topics[i], 1);
        }
        PrintStream before = System.err;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        try {
            for (int round = 0; round < 5; round++) {
                assertThat(extents(topics).values())
                        .hasSize(topics.length)
                        .allMatch(extent -> extent.doubt().isEmpty() && extent.start() == 1 && extent.end() == 1);
            }
        } finally {
            System.setErr(before);
        }
        assertThat(lines.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    /** Without a controller, the silent replica stays in the in-sync replicas. */
    @Test
    void recordsAboveTheHighWatermarkAreNoticedWithoutAController() throws Exception {
        String topic = "frozen";
        create(topic, 1, 0, 1);
        kafka.kill(1, 2);
        try (Producer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "acks", "1", "enable.idempotence", false),
                new StringSerializer(),
                new StringSerializer())) {
            long offset = producer.send(new ProducerRecord<>(topic, 0, "k", "v"))
                    .get()
                    .offset();
            assertThat(offset).isZero();
            assertThat(inSync(topic)).containsExactlyInAnyOrder(0, 1);
            Extent extent = extents(topic).get(new Partition(topic, 0));
            assertThat(extent.end()).isEqualTo(1);
            assertThat(extent.doubt().orElseThrow()).contains("above the high watermark");
        }
        kafka.restart(1, 2);
        await("the record")
                .atMost(PATIENCE)
                .until(() -> extents(topic).get(new Partition(topic, 0)).doubt().isEmpty());
    }

    /** The new log may be an incomplete copy. */
    @Test
    void theBlobsOfATopicThatWasCreatedAgainAreNotDecidedByTheNewLog() throws Exception {
        String topic = "again";
        create(topic, 1, 0, 1, 2);
        write(topic, "a", "all");
        try (BlobStore store = store();
                KafkaNotificationLogs logs = logs()) {
            Sweep sweep = new Sweep(
                    store, SweepScope.of(topic::equals), SweepPace.BESIDE_AN_APPLICATION, new StopSignal(time));
            Map<Partition, NotificationLogs.Term> terms = logs.terms(topic::equals);
            StoreClock clock = new StoreConditions(store, time).require();
            int owner = Collections.max(store.owners().toCompletableFuture().get());
            BlobListing listing = sweep.list(owner, Optional.empty(), NO_FLOOR, clock);
            admin.deleteTopics(List.of(topic)).all().get();
            await("the deletion").atMost(PATIENCE).until(() -> !logs.topics().contains(topic));
            create(topic, 1, 0, 1, 2);
            write(topic, "b", "all");

            SweepReport report = sweep.byLogs(listing, logs, terms);

            assertThat(report.unneeded()).isZero();
            assertThat(report.unsettled()).isEqualTo(1);
            assertThat(report.doubtsInWords()).contains("again-0", "created again");
            BlobListing again = sweep.list(owner, Optional.empty(), NO_FLOOR, clock);
            SweepReport next = sweep.byLogs(again, logs, logs.terms(topic::equals));
            assertThat(next.unneeded()).isEqualTo(1);
            assertThat(next.needed()).isEqualTo(1);
        }
    }
}
