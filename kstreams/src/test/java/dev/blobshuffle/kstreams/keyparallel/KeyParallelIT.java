package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.KafkaStreams;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What only real brokers and stream threads show: commits while calls are slow, rebalances, a service that hangs. Kills are in {@code ChaosIT}. */
class KeyParallelIT {
    /** A hang of a minute is the long form: {@code -Dkeyparallel.hang.seconds=60}. */
    private static final int HANG_SECONDS = Integer.getInteger("keyparallel.hang.seconds", 3);

    private static EmbeddedKafka kafka;
    private static Admin admin;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startKafka() throws Exception {
        kafka = EmbeddedKafka.builder().start();
        admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }

    @AfterAll
    static void stopKafka() {
        admin.close();
        kafka.close();
    }

    /**
     * Slow calls at every commit, two nodes in a chain whose gates' names sort both ways, a cache behind them, and instances that come and go. By the classic protocol tasks become
     * standbys and come back, with the same processors.
     */
    @ParameterizedTest
    @MethodSource("dev.blobshuffle.kstreams.differential.Protocols#withGuarantees")
    void resultsAreExactWhileInstancesComeAndGo(String guarantee, String protocol) throws Exception {
        try (ParallelApplication application = ParallelApplication.create(
                        kafka.bootstrapServers(),
                        admin,
                        "churn-" + guarantee + "-" + protocol,
                        Map.of(
                                "processing.guarantee",
                                guarantee,
                                "group.protocol",
                                protocol,
                                "commit.interval.ms",
                                200,
                                "num.standby.replicas",
                                1),
                        directory);
                Instances instances = new Instances()) {
            application.write(600);
            KafkaStreams first = instances.add(application.instance("zgate", "agate", KeyParallelIT::slow));
            application.write(600);
            application.awaitOutput(200, instances);
            KafkaStreams second = instances.add(application.instance("zgate", "agate", KeyParallelIT::slow));
            application.write(600);
            application.awaitOutput(800, instances);
            if (protocol.equals("classic")) {
                // Of tasks that the first one had: it had all.
                await(instances, () -> hasStandbys(first) && hasStandbys(second));
            }
            instances.stop(first);
            application.write(200);
            new Drain(admin, kafka.bootstrapServers(), application.id(), List.of(application.input())).await(instances);
            application.assertRight(guarantee.equals("exactly_once_v2"));
        }
    }

    /** A service that gets slow all of a sudden: the tasks go back to the last commit, no thread dies, and nothing of the calls that did end becomes visible. */
    @Test
    void drainThatTakesTooLongRollsBack() throws Exception {
        AtomicBoolean isFast = new AtomicBoolean(true);
        KeyParallelOptionsBuilder options = KeyParallelOptions.builder("stuck")
                .timeout(Duration.ofMillis(900))
                .drainTimeout(Duration.ofMillis(1_000));
        try (ParallelApplication application = ParallelApplication.create(
                        kafka.bootstrapServers(),
                        admin,
                        "stuck",
                        Map.of("processing.guarantee", "exactly_once_v2", "commit.interval.ms", 100),
                        directory);
                Instances instances = new Instances()) {
            application.writeOneKey(4);
            KafkaStreams streams = instances.add(
                    application.instance(options.build(), KeyParallelOptions.named("behind"), (key, value) -> {
                        if (!isFast.get()) {
                            LockSupport.parkNanos(700_000_000L);
                        }
                        return value;
                    }));
            application.awaitOutput(4, instances);
            double closed = ofThreads(streams, "task-closed-total");
            isFast.set(false);
            application.writeOneKey(4);
            await(instances, () -> ofThreads(streams, "task-closed-total") > closed);
            assertThat(application.outputs())
                    .as("records whose commit waits for a slower one are not visible")
                    .isLessThan(8);
            isFast.set(true);
            new Drain(admin, kafka.bootstrapServers(), application.id(), List.of(application.input())).await(instances);
            application.assertRight(true);
            assertThat(streams.metadataForLocalThreads())
                    .allMatch(thread -> thread.threadState().equals("RUNNING"));
        }
    }

    /** The budget holds while the service hangs under full load, and everything comes out when it is back. */
    @ParameterizedTest
    @ValueSource(strings = "classic")
    void hangingServiceIsWaitedForWithinTheBudget(String protocol) throws Exception {
        CountDownLatch isBack = new CountDownLatch(1);
        ByteSize budget = new ByteSize(1 << 20);
        KeyParallelOptions options = KeyParallelOptions.builder("hang")
                .maxPendingBytes(budget)
                .maxConcurrency(16)
                .timeout(Duration.ofSeconds(HANG_SECONDS + 60))
                .drainTimeout(Duration.ofSeconds(HANG_SECONDS + 60))
                .build();
        try (ParallelApplication application = ParallelApplication.create(
                        kafka.bootstrapServers(),
                        admin,
                        "hang",
                        Map.of(
                                "group.protocol",
                                protocol,
                                "commit.interval.ms",
                                15_000, // What comes until the first commit fills the budget; then that waits.
                                "max.poll.interval.ms",
                                600_000,
                                // What Kafka holds beside: natively 1,000 records of each partition.
                                "buffered.records.per.partition",
                                20,
                                "main.consumer.fetch.max.bytes",
                                1 << 20),
                        directory);
                Instances instances = new Instances()) {
            KafkaStreams streams =
                    instances.add(application.instance(options, KeyParallelOptions.named("behind"), (key, value) -> {
                        if (!isBack.await(10, TimeUnit.MINUTES)) {
                            throw new IllegalStateException("never back");
                        }
                        return value;
                    }));
            long heap = liveHeap();
            application.writeLarge(2_000, 20_000); // Once it runs: a thread that waits for room joins no group.
            try {
                await(instances, () -> isLimited(streams));
                long end = System.nanoTime() + HANG_SECONDS * 1_000_000_000L;
                while (System.nanoTime() < end) {
                    assertThat(ofNodes(streams, "pending-bytes"))
                            .isLessThanOrEqualTo(ParallelApplication.PARTITIONS * (budget.bytes() + 21_000.0));
                    assertThat(ofNodes(streams, "pending-records")).isPositive();
                    assertThat(isLimited(streams)).as("says what it waits for").isTrue();
                    LockSupport.parkNanos(20_000_000);
                }
                long more = liveHeap() - heap;
                System.out.printf(
                        "%d s without an answer: %.2f MiB are pending, of at most %.2f; the heap, with broker and producer, grew by %.2f MiB%n",
                        HANG_SECONDS,
                        ofNodes(streams, "pending-bytes") / (1 << 20),
                        (double) ParallelApplication.PARTITIONS * budget.bytes() / (1 << 20),
                        (double) more / (1 << 20));
                assertThat(more).as("growth of the heap").isLessThan(32 << 20);
            } finally {
                isBack.countDown();
            }
            new Drain(admin, kafka.bootstrapServers(), application.id(), List.of(application.input())).await(instances);
            application.assertRight(false);
        }
    }

    private static boolean isLimited(KafkaStreams streams) {
        return ofNodes(streams, "limited-by-concurrency") + ofNodes(streams, "limited-by-budget") > 0;
    }

    private static long liveHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static boolean hasStandbys(KafkaStreams streams) {
        return streams.metadataForLocalThreads().stream()
                .anyMatch(thread -> !thread.standbyTasks().isEmpty());
    }

    private static String slow(String key, String value) {
        LockSupport.parkNanos(Math.floorMod(value.hashCode(), 20) * 1_000_000L);
        return value;
    }

    private static double ofThreads(KafkaStreams streams, String name) {
        return sum(streams, "stream-thread-metrics", name);
    }

    private static double ofNodes(KafkaStreams streams, String name) {
        return sum(streams, NodeMetrics.GROUP, name);
    }

    private static double sum(KafkaStreams streams, String group, String name) {
        return streams.metrics().values().stream()
                .filter(metric -> metric.metricName().group().equals(group)
                        && metric.metricName().name().equals(name))
                .mapToDouble(metric -> (double) metric.metricValue())
                .sum();
    }

    private static void await(Instances instances, BooleanSupplier condition) {
        long deadline = System.nanoTime() + 120_000_000_000L;
        while (!condition.getAsBoolean()) {
            instances.check();
            assertThat(System.nanoTime()).as("time until the condition holds").isLessThan(deadline);
            LockSupport.parkNanos(20_000_000);
        }
    }
}
