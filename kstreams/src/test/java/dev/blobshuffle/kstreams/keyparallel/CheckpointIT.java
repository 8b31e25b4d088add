package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.NewTopics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commits that do not wait for calls, with real brokers, and a process that is killed between a commit and the end of its calls. */
class CheckpointIT {
    /** Values up to this one have their result before the kill. */
    static final int ANSWERED = 3;

    private static final int KEYS = 6;
    private static final int BEFORE = 8;
    private static final int AFTER = 12;
    private static final long PATIENCE_NANOS = 120_000_000_000L;

    private static EmbeddedKafka kafka;
    private static Admin admin;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startKafka() throws Exception {
        kafka = EmbeddedKafka.builder()
                .property("group.min.session.timeout.ms", 500)
                .start();
        admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }

    @AfterAll
    static void stopKafka() {
        admin.close();
        kafka.close();
    }

    /** The offsets are committed, so what was under way is nowhere but in the store; another instance, whose disk is empty, takes it up in order, by calls longer than a transaction. */
    @ParameterizedTest
    @ValueSource(strings = {"exactly_once_v2", "at_least_once"})
    void callsUnderWayAtACommitAreTakenUpAfterAKill(String guarantee) throws Exception {
        String name = "checkpoint-" + guarantee.replace('_', '-');
        NewTopics.create(admin, List.of(name + "-input", name + "-output"), CheckpointInstance.PARTITIONS);
        write(name, 1, BEFORE);
        Process first = start(name, guarantee, ANSWERED, "first");
        try {
            awaitCommitted(name, (long) KEYS * BEFORE, first);
            awaitOutput(name, KEYS * ANSWERED, first);
        } finally {
            first.destroyForcibly().onExit().join();
        }
        assertThat(values(name, 0)).isEqualTo(numbers(ANSWERED));
        write(name, BEFORE + 1, AFTER);
        Process second = start(name, guarantee, 0, "second");
        try {
            awaitOutput(name, KEYS * AFTER, second);
            awaitCommitted(name, (long) KEYS * AFTER, second);
            second.getOutputStream().write("close\n".getBytes(StandardCharsets.UTF_8));
            second.getOutputStream().flush();
            assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(second.exitValue()).as("closes in order").isZero();
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

    /** Two nodes in a chain, a cache behind them, a standby, instances that come and go, and calls that are under way at every commit. */
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
        try (ParallelApplication application = ParallelApplication.create(
                        kafka.bootstrapServers(), admin, "handover-" + guarantee, settings, directory);
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
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (results("handover-" + guarantee) < 600) {
                instances.check();
                assertThat(System.nanoTime()).as("time").isLessThan(deadline);
                LockSupport.parkNanos(50_000_000);
            }
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
        LockSupport.parkNanos(Math.floorMod(value.hashCode(), 4) * 100_000_000L);
        return value;
    }

    private Process start(String name, String guarantee, int answered, String state) throws Exception {
        return CheckpointInstance.start(
                kafka.bootstrapServers(), name, guarantee, answered, directory.resolve(name + "-" + state));
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

    private static void awaitCommitted(String name, long records, Process process) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (committed(name) < records) {
            check(process, deadline);
        }
    }

    private static long committed(String name) throws Exception {
        return admin.listConsumerGroupOffsets(name).partitionsToOffsetAndMetadata().get().values().stream()
                .mapToLong(OffsetAndMetadata::offset)
                .sum();
    }

    private static void awaitOutput(String name, int results, Process process) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (results(name) < results) {
            check(process, deadline);
        }
    }

    /** Records that have a result; once each. */
    private static long results(String name) {
        return new Log(kafka.bootstrapServers())
                .rows(name + "-output").stream()
                        .map(row -> row.key() + " " + row.value())
                        .distinct()
                        .count();
    }

    private static void check(Process process, long deadline) {
        assertThat(process.isAlive()).as("the process lives").isTrue();
        assertThat(System.nanoTime()).as("time").isLessThan(deadline);
        LockSupport.parkNanos(50_000_000);
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
