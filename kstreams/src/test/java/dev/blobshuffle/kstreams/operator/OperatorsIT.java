package dev.blobshuffle.kstreams.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.Probe;
import dev.blobshuffle.kstreams.StoreOutage;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Protocols;
import dev.blobshuffle.kstreams.differential.Shuffling;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The operators on a real broker with real stream threads: commits, rollbacks, and the end. */
class OperatorsIT {
    private static EmbeddedKafka kafka;
    private static Admin admin;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startKafka() throws Exception {
        kafka = EmbeddedKafka.shared();
        admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
        Probe.createTopics(
                kafka.bootstrapServers(),
                "operators-outage-at_least_once",
                "operators-outage-exactly_once_v2",
                "operators-together",
                "operators-idle");
    }

    @AfterAll
    static void stopKafka() {
        admin.close();
    }

    /**
     * A loss rolls the thread's tasks back, and no thread dies. Under at-least-once, records that
     * were committed meanwhile may be duplicated.
     */
    @ParameterizedTest
    @ValueSource(strings = {StreamsConfig.EXACTLY_ONCE_V2, StreamsConfig.AT_LEAST_ONCE})
    void storeOutageRollsBackToTheLastCommit(String guarantee) throws Exception {
        try (Probe probe =
                        Probe.start(kafka.bootstrapServers(), "operators-outage-" + guarantee, Shuffling.BY_OPERATORS);
                Instances instances = new Instances()) {
            String protocol = Protocols.all().get(Protocols.all().size() - 1);
            KafkaStreams streams = instances.add(probe.instance(settings(Map.of(
                    StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
                    guarantee,
                    "group.protocol",
                    protocol,
                    StreamsConfig.COMMIT_INTERVAL_MS_CONFIG,
                    100,
                    "blobshuffle.delivery.timeout.ms",
                    1_500))));
            probe.awaitRecords(200);
            instances.await("the turn to sweep", () -> metric("sweep-turn") == 1);

            double closed = ofThreads(streams, "task-closed-total");
            StoreOutage outage = StoreOutage.begin(blobs());
            instances.await("tasks that are closed", () -> ofThreads(streams, "task-closed-total") > closed);
            outage.end();

            probe.awaitRecords(200);
            probe.stop();
            new Drain(admin, kafka.bootstrapServers(), probe.applicationId(), List.of(probe.input())).await(instances);
            instances.awaitThreads(streams, 2);
            if (guarantee.equals(StreamsConfig.EXACTLY_ONCE_V2)) {
                probe.assertExact();
            }
        }
        new Instances().await("the end of everything of ours", OperatorsIT::nothingIsOpen);
    }

    /**
     * The records of all tasks of a thread are in one blob: the first gate of a commit starts the
     * upload for all of them. Three tasks with a blob each would make three times as many blobs as
     * commits. Two stages make two blobs, because the second stage gets its records when the first
     * one drains.
     */
    @Test
    void tasksOfAThreadShareTheBlobOfACommit() throws Exception {
        try (Probe probe = Probe.start(kafka.bootstrapServers(), "operators-together", Shuffling.BY_OPERATORS);
                Instances instances = new Instances()) {
            KafkaStreams streams = instances.add(probe.instance(settings(Map.of(
                    StreamsConfig.NUM_STREAM_THREADS_CONFIG,
                    1,
                    StreamsConfig.COMMIT_INTERVAL_MS_CONFIG,
                    500,
                    "blobshuffle.batch.max.delay.ms",
                    60_000))));
            probe.awaitRecords(300);
            double blobsBefore = metric("blobs-stored");
            double commitsBefore = commits(streams);
            probe.awaitRecords(1_500);
            instances.await("commits", () -> commits(streams) - commitsBefore > 3);
            double blobs = metric("blobs-stored") - blobsBefore;
            double commits = commits(streams) - commitsBefore;

            assertThat(blobs).isPositive().isLessThanOrEqualTo(2 * (commits + 1));
            probe.stop();
            new Drain(admin, kafka.bootstrapServers(), probe.applicationId(), List.of(probe.input())).await(instances);
            probe.assertExact();
        }
        new Instances().await("the end of everything of ours", OperatorsIT::nothingIsOpen);
    }

    /**
     * Another application is the clock: while it commits repeatedly, an idle one does not commit at
     * all.
     */
    @Test
    void idleApplicationCommitsNothing() throws Exception {
        try (Probe idle = Probe.start(kafka.bootstrapServers(), "operators-idle", Shuffling.BY_OPERATORS);
                Instances instances = new Instances()) {
            KafkaStreams streams = instances.add(idle.instance(settings(Map.of(
                    StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
                    StreamsConfig.AT_LEAST_ONCE,
                    StreamsConfig.COMMIT_INTERVAL_MS_CONFIG,
                    50))));
            idle.awaitRecords(200);
            idle.stop();
            new Drain(admin, kafka.bootstrapServers(), idle.applicationId(), List.of(idle.input())).await(instances);
            awaitQuiet(streams);
            double before = commits(streams);

            writeUntilTenTimesTheCommitIntervalIsOver();

            assertThat(commits(streams)).isEqualTo(before);
        }
    }

    /** Waits, because the commit after the last record may still come. */
    private static void awaitQuiet(KafkaStreams streams) throws Exception {
        double seen;
        do {
            seen = commits(streams);
            writeUntilTenTimesTheCommitIntervalIsOver();
        } while (commits(streams) != seen);
    }

    /**
     * Acknowledged writes to the broker, one after another, take real time, in which a stream
     * thread runs.
     */
    private static void writeUntilTenTimesTheCommitIntervalIsOver() throws Exception {
        long end = System.nanoTime() + 500_000_000L;
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "linger.ms", 20),
                new StringSerializer(),
                new StringSerializer())) {
            while (System.nanoTime() < end) {
                producer.send(new ProducerRecord<>("operators-together-input", "unread", "unread"))
                        .get();
            }
        }
    }

    private Path blobs() {
        return directory.resolve("blobs");
    }

    private Map<String, Object> settings(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve("state").toString());
        settings.put("blobshuffle.store", "file://" + blobs() + "?fsync=none");
        settings.putAll(more);
        return settings;
    }

    private static double commits(KafkaStreams streams) {
        return ofThreads(streams, "commit-total");
    }

    private static double ofThreads(KafkaStreams streams, String name) {
        return Instances.sum(streams, "stream-thread-metrics", name);
    }

    private static boolean nothingIsOpen() {
        return SharedEngine.count() == 0
                && beans().isEmpty()
                && Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("blobshuffle-"));
    }

    private static Set<ObjectName> beans() {
        try {
            return ManagementFactory.getPlatformMBeanServer()
                    .queryNames(new ObjectName("blobshuffle:type=blobshuffle-metrics,*"), null);
        } catch (JMException e) {
            throw new AssertionError(e);
        }
    }

    private static double metric(String name) {
        try {
            double sum = 0;
            for (ObjectName bean : beans()) {
                sum += (double) ManagementFactory.getPlatformMBeanServer().getAttribute(bean, name);
            }
            return sum;
        } catch (JMException e) {
            throw new AssertionError(e);
        }
    }
}
