package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.kstreams.differential.Instances;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.streams.KafkaStreams;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Parallel functions with real brokers and stream threads: commits while calls are slow,
 * rebalances, a service that hangs. {@code ChaosIT} has kills.
 */
class KeyParallelIT {
    /** {@code -Dkeyparallel.hang.seconds=60} makes the service hang for a minute. */
    private static final int HANG_SECONDS = Integer.getInteger("keyparallel.hang.seconds", 1);

    @TempDir
    private Path directory;

    /**
     * Slow calls at every commit, two nodes in a chain with gate names in both orders, a cache
     * after them, and instances that come and go. With the classic protocol, tasks become standbys
     * and return, with the same processors.
     */
    @ParameterizedTest
    @MethodSource("dev.blobshuffle.kstreams.differential.Protocols#withEachGuarantee")
    void resultsAreExactWhileInstancesComeAndGo(String guarantee, String protocol) throws Exception {
        try (ParallelApplication application = ParallelApplication.create(
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
                // The first instance had all tasks, so the others' are its former ones.
                instances.await("standbys", () -> hasStandbys(first) && hasStandbys(second));
            }
            instances.stop(first);
            application.write(200);
            application.drain(instances);
            application.assertRight(guarantee.equals("exactly_once_v2"));
        }
    }

    /**
     * A service hangs suddenly: the tasks roll back to the last commit, no thread dies, and no
     * result of a finished call becomes visible.
     */
    @Test
    void drainThatTakesTooLongRollsBack() throws Exception {
        Duration drain = Duration.ofSeconds(60);
        KeyParallelOptions options = KeyParallelOptions.builder("stuck")
                .timeout(Duration.ofSeconds(50))
                .drainTimeout(drain)
                .build();
        HeldService service = new HeldService();
        JumpingClock clock = new JumpingClock();
        try (ParallelApplication application = ParallelApplication.create(
                        "stuck",
                        Map.of(
                                "processing.guarantee",
                                "exactly_once_v2",
                                "commit.interval.ms",
                                100,
                                "producer.transaction.timeout.ms",
                                300_000),
                        directory);
                Instances instances = new Instances()) {
            application.writeOneKey(60);
            KafkaStreams streams = instances.add(application.instance(stream -> stream.processValues(
                            clock.of(KeyParallel.mapValues(
                                    (key, value) -> isAmongLast(value) ? service.answer(key, value) : value, options)))
                    .processValues(KeyParallel.mapValues((key, value) -> value, KeyParallelOptions.named("behind")))));
            application.awaitOutput(60, instances);
            double closed = ofThreads(streams, "task-closed-total");
            service.hold();
            application.writeOneKey(12);
            instances.await("tasks that are closed", () -> {
                clock.jump(drain); // The next moment is too late for a waiting commit.
                return ofThreads(streams, "task-closed-total") > closed;
            });
            assertThat(application.outputs())
                    .as("records whose commit waits for a held one are not visible")
                    .isLessThan(72);
            service.release();
            application.drain(instances);
            application.assertRight(true);
            instances.awaitThreads(streams, 2);
        }
    }

    private static boolean isAmongLast(String value) {
        return Integer.parseInt(value) > 66;
    }

    /**
     * The budget holds while the service hangs under full load, and everything comes out when the
     * service is back.
     */
    @Test
    void hangingServiceIsWaitedForWithinTheBudget() throws Exception {
        CountDownLatch isBack = new CountDownLatch(1);
        ByteSize budget = new ByteSize(1 << 20);
        KeyParallelOptions options = KeyParallelOptions.builder("hang")
                .maxPendingBytes(budget)
                .maxConcurrency(16)
                .timeout(Duration.ofSeconds(HANG_SECONDS + 60))
                .drainTimeout(Duration.ofSeconds(HANG_SECONDS + 60))
                .build();
        try (ParallelApplication application = ParallelApplication.create(
                        "hang",
                        Map.of(
                                "commit.interval.ms",
                                // The records before the first commit fill the budget; then the
                                // commit waits.
                                15_000,
                                "max.poll.interval.ms",
                                600_000,
                                // Kafka's own buffer: natively, 1,000 records of each partition.
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
            // Only once it runs: a thread that waits for room cannot join a group.
            application.writeLarge(2_000, 20_000);
            try {
                instances.await("a full budget", () -> isLimited(streams));
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
            application.drain(instances);
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
        return Instances.sum(streams, "stream-thread-metrics", name);
    }

    private static double ofNodes(KafkaStreams streams, String name) {
        return Instances.sum(streams, NodeMetrics.GROUP, name);
    }
}
