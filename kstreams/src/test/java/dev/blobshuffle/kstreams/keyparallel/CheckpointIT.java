package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.NewTopics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Commits that do not wait for calls, with real brokers, and a process that is killed between a
 * commit and the end of its calls.
 */
class CheckpointIT {
    /** Values up to this one have their result before the kill. */
    static final int ANSWERED = 3;

    private static final int KEYS = 6;
    private static final int BEFORE = 8;
    private static final int AFTER = 12;
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration POLL = Duration.ofMillis(50);

    private static EmbeddedKafka kafka;
    private static Admin admin;

    @TempDir
    private Path directory;

    @BeforeAll
    static void open() {
        kafka = EmbeddedKafka.shared();
        admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }

    @AfterAll
    static void close() {
        admin.close();
    }

    /**
     * The offsets are committed, so running calls are only in the store. Another instance, whose
     * disk is empty, resumes them in order, with calls longer than a transaction.
     */
    @Test
    void callsUnderWayAtACommitAreTakenUpAfterAKill() throws Exception {
        assertTakenUpAfterAKill("exactly_once_v2");
    }

    /** At night: {@link CheckpointSimulationTest} crashes at-least-once too. */
    @Test
    @Tag("nightly")
    void callsUnderWayAtACommitAreTakenUpAfterAKillAtLeastOnce() throws Exception {
        assertTakenUpAfterAKill("at_least_once");
    }

    private void assertTakenUpAfterAKill(String guarantee) throws Exception {
        String name = "checkpoint-" + guarantee.replace('_', '-');
        NewTopics.create(admin, List.of(name + "-input", name + "-output"), CheckpointInstance.PARTITIONS);
        write(name, 1, BEFORE);
        Process first = start(name, guarantee, ANSWERED, 0, "first");
        try {
            awaitCommitted(name, (long) KEYS * BEFORE, first);
            awaitOutput(name, KEYS * ANSWERED, first);
        } finally {
            first.destroyForcibly().onExit().join();
        }
        assertThat(values(name, 0)).isEqualTo(numbers(ANSWERED));
        write(name, BEFORE + 1, AFTER);
        Process second = start(name, guarantee, 0, 0, "second");
        try {
            awaitOutput(name, KEYS * AFTER, second);
            awaitCommitted(name, (long) KEYS * AFTER, second);
            assertClosesInOrder(second);
        } finally {
            second.destroyForcibly().onExit().join();
        }
        for (int key = 0; key < KEYS; key++) {
            List<Integer> results = values(name, key);
            assertThat(
                            guarantee.equals("at_least_once")
                                    ? results.stream().distinct().toList()
                                    : results)
                    .as("results of key %s", key)
                    .isEqualTo(numbers(AFTER));
        }
    }

    /**
     * Each of two instances has a copy of the other's pending records. The survivor continues with
     * its copy, in order, and nothing is lost or duplicated.
     */
    @Test
    void standbyTakesUpWhatIsPendingAfterAKill() throws Exception {
        String name = "checkpoint-standby";
        NewTopics.create(admin, List.of(name + "-input", name + "-output"), CheckpointInstance.PARTITIONS);
        write(name, 1, BEFORE);
        Process first = start(name, "exactly_once_v2", ANSWERED, 1, "first");
        Process second = start(name, "exactly_once_v2", ANSWERED, 1, "second");
        try {
            awaitCommitted(name, (long) KEYS * BEFORE, first);
            awaitOutput(name, KEYS * ANSWERED, first);
            CheckpointInstance.awaitStandby(first);
            CheckpointInstance.awaitStandby(second);
            first.destroyForcibly().onExit().join();
            CheckpointInstance.order(second, "answer");
            awaitOutput(name, KEYS * BEFORE, second);
            assertClosesInOrder(second);
        } finally {
            first.destroyForcibly().onExit().join();
            second.destroyForcibly().onExit().join();
        }
        for (int key = 0; key < KEYS; key++) {
            assertThat(values(name, key)).as("results of key %s", key).isEqualTo(numbers(BEFORE));
        }
    }

    private static void assertClosesInOrder(Process process) throws Exception {
        CheckpointInstance.order(process, "close");
        assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as("closes in order").isZero();
    }

    /**
     * Two nodes in a chain, a cache after them, a standby, instances that come and go, and calls
     * that run at every commit.
     */
    @ParameterizedTest
    @MethodSource("dev.blobshuffle.kstreams.differential.Protocols#withEachGuarantee")
    void tasksAreHandedOverWithWhatIsPending(String guarantee, String protocol) throws Exception {
        Map<String, Object> settings = Map.of(
                "processing.guarantee",
                guarantee,
                "group.protocol",
                protocol,
                "num.standby.replicas",
                protocol.equals("classic") ? 1 : 0, // The broker's business in the other protocol.
                "commit.interval.ms",
                100);
        try (ParallelApplication application =
                        ParallelApplication.create("handover-" + guarantee + "-" + protocol, settings, directory);
                Instances instances = new Instances()) {
            application.write(300);
            KafkaStreams first =
                    instances.add(application.instance(pending("zgate"), pending("agate"), CheckpointIT::slow));
            application.awaitOutput(50, instances);
            instances.add(application.instance(pending("zgate"), pending("agate"), CheckpointIT::slow));
            application.write(200);
            application.awaitOutput(250, instances);
            instances.stop(first);
            application.write(100);
            application.awaitResults(600, instances);
            instances.close();
            application.assertRight(guarantee.equals("exactly_once_v2"));
        }
    }

    private static KeyParallelOptions pending(String name) {
        return KeyParallelOptions.builder(name)
                .commitMode(CommitMode.checkpoint(Serdes.String(), Serdes.String()))
                .maxConcurrency(32)
                .build();
    }

    private static String slow(String key, String value) {
        // Some calls run at each commit.
        LockSupport.parkNanos(Math.floorMod(value.hashCode(), 4) * 30_000_000L);
        return value;
    }

    private Process start(String name, String guarantee, int answered, int standbys, String state) throws Exception {
        return CheckpointInstance.start(
                kafka.bootstrapServers(), name, guarantee, answered, standbys, directory.resolve(name + "-" + state));
    }

    private static void write(String name, int from, int to) {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int value = from; value <= to; value++) {
                for (int key = 0; key < KEYS; key++) {
                    var ignored =
                            producer.send(new ProducerRecord<>(name + "-input", "k" + key, String.valueOf(value)));
                }
            }
        }
    }

    private static void awaitCommitted(String name, long records, Process process) {
        await(process, records + " records that are committed", () -> committed(name) >= records);
    }

    private static long committed(String name) throws Exception {
        return admin.listConsumerGroupOffsets(name).partitionsToOffsetAndMetadata().get().values().stream()
                .mapToLong(OffsetAndMetadata::offset)
                .sum();
    }

    private static void awaitOutput(String name, int results, Process process) {
        await(process, results + " results", () -> results(name) >= results);
    }

    private static void await(Process process, String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(POLL)
                .failFast("the process has ended", () -> !process.isAlive())
                .until(condition);
    }

    /** Number of records that have exactly one result. */
    private static long results(String name) {
        return new Log(kafka.bootstrapServers())
                .rows(name + "-output").stream()
                        .map(row -> row.key() + " " + row.value())
                        .distinct()
                        .count();
    }

    private static List<Integer> values(String name, int key) {
        return new Log(kafka.bootstrapServers())
                .rows(name + "-output").stream()
                        .filter(row -> row.key().equals("k" + key))
                        .map(row -> Integer.parseInt(row.value()))
                        .toList();
    }

    private static List<Integer> numbers(int last) {
        return IntStream.rangeClosed(1, last).boxed().toList();
    }
}
