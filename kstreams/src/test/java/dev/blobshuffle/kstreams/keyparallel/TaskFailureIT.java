package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tasks that fail, are revoked, or restart while calls run, with real brokers and stream threads.
 */
class TaskFailureIT {
    @TempDir
    private Path directory;

    /**
     * Kafka Streams closes the task, deletes its stores, and initializes the same processors again.
     * At-least-once, because it commits the thread's other tasks first. Under exactly-once, that
     * commit is in the same transaction, with the records of the corrupted task. This happens
     * without parallel calls too: with {@code mapValues} instead, four of eight runs duplicated a
     * record.
     */
    @ParameterizedTest
    @ValueSource(strings = {"drain", "checkpoint"})
    void corruptedTaskStartsAgainWithoutItsOldCalls(String mode) throws Exception {
        AtomicBoolean isDue = new AtomicBoolean();
        KeyParallelOptions options = mode.equals("drain")
                ? options("zgate")
                : KeyParallelOptions.builder("zgate")
                        .commitMode(CommitMode.checkpoint(Serdes.String(), Serdes.String()))
                        .maxConcurrency(32)
                        .build();
        try (ParallelApplication application = application("corrupted-" + mode, Map.of("commit.interval.ms", 200));
                Instances instances = new Instances()) {
            KafkaStreams streams = instances.add(application.instance(
                    stream -> stream.processValues(KeyParallel.mapValues(TaskFailureIT::slow, options))
                            .processValues(() -> new Corrupting(isDue))));
            application.write(300);
            application.awaitOutput(50, instances);
            isDue.set(true);
            application.write(300);
            application.drain(instances);
            application.awaitResults(600, instances);
            assertThat(isDue).as("still to come").isFalse();
            assertThat(closedTasks(streams)).isPositive();
            instances.awaitThreads(streams, 2);
            instances.stop(streams);
            application.assertRight(false);
        }
    }

    /**
     * The call takes longer than its transaction may: it times out, its thread dies, and the next
     * thread repeats everything.
     */
    @Test
    void threadThatIsReplacedLosesAndDoublesNothing() throws Exception {
        AtomicBoolean isDue = new AtomicBoolean(true);
        KeyParallelOptions options = KeyParallelOptions.builder("outlasting")
                .onFailure(FailureAction.FAIL)
                .build();
        try (ParallelApplication application = application(
                        "outlasting",
                        Map.of(
                                "processing.guarantee",
                                "exactly_once_v2",
                                "commit.interval.ms",
                                100,
                                "producer.transaction.timeout.ms",
                                4_000));
                Instances instances = new Instances()) {
            application.write(300);
            KafkaStreams streams = instances.addReplacingThreads(application.instance(stream ->
                    stream.processValues(KeyParallel.mapValues(
                            (key, value) -> {
                                if (value.equals("5") && isDue.getAndSet(false)) {
                                    parkUninterruptibly(Duration.ofSeconds(5));
                                }
                                return slow(key, value);
                            },
                            options))));
            application.drain(instances);
            assertThat(isDue).as("still to come").isFalse();
            application.assertRight(true);
            instances.awaitThreads(streams, 2);
            assertThat(Instances.sum(streams, "stream-metrics", "failed-stream-threads"))
                    .isPositive();
        }
    }

    /**
     * The wait for calls times out while Kafka Streams commits for a revocation: no result becomes
     * visible, the thread survives, and another one repeats the calls.
     */
    @ParameterizedTest
    @MethodSource("dev.blobshuffle.kstreams.differential.Protocols#all")
    void revocationThatWaitsTooLongLeavesNothingVisible(String protocol) throws Exception {
        Duration drain = Duration.ofSeconds(60);
        KeyParallelOptions options = KeyParallelOptions.builder("stuck")
                .maxConcurrency(1)
                .timeout(Duration.ofSeconds(50))
                .drainTimeout(drain)
                .build();
        HeldService service = new HeldService();
        JumpingClock clock = new JumpingClock();
        UnaryOperator<KStream<String, String>> calls =
                stream -> stream.processValues(clock.of(KeyParallel.mapValues(service::answer, options)));
        Map<String, Object> settings = new HashMap<>(Map.of(
                "processing.guarantee",
                "exactly_once_v2",
                "group.protocol",
                protocol,
                "commit.interval.ms",
                60_000, // The only commit is that of the revocation.
                "producer.transaction.timeout.ms",
                300_000,
                "num.stream.threads",
                1));
        try (ParallelApplication application = application("revoked-" + protocol, settings);
                Instances instances = new Instances()) {
            KafkaStreams first = instances.add(application.instance(calls));
            application.write(300);
            instances.await("all results", () -> Instances.sum(first, NodeMetrics.GROUP, "forwarded-total") == 300);
            service.hold();
            application.write(90); // The rate was high, so many records may wait for their calls.
            instances.await("records that wait", () -> Instances.sum(first, NodeMetrics.GROUP, "waiting-records") >= 6);
            KafkaStreams second = application.instance(calls);
            CountDownLatch secondRuns = instances.start(second);
            instances.await("tasks that are closed", () -> {
                clock.jump(drain); // The next moment is too late for a waiting revocation.
                return closedTasks(first) > 0;
            });
            assertThat(application.outputs()).as("results that are visible").isZero();
            service.release();
            instances.await("the second instance", () -> secondRuns.getCount() == 0);
            instances.awaitThreads(first, 1);
            instances.stop(second);
            instances.stop(first);
            settings.put("commit.interval.ms", 200);
            instances.add(application.instance(calls));
            application.drain(instances);
            application.assertRight(true);
        }
    }

    /**
     * Other records are in {@code process} when it fails: neither they nor their bytes are
     * reported.
     */
    @Test
    void deadLettersAreTheRecordsThatFailed() throws Exception {
        EmbeddedKafka.shared().createTopic("dead-letters", 1);
        try (ParallelApplication application = application(
                        "failing",
                        Map.of(
                                "processing.guarantee",
                                "exactly_once_v2",
                                "commit.interval.ms",
                                100,
                                "processing.exception.handler",
                                LogAndContinueProcessingExceptionHandler.class.getName(),
                                "errors.dead.letter.queue.topic.name",
                                "dead-letters"));
                Instances instances = new Instances()) {
            application.write(300);
            instances.add(application.instance(stream -> stream.processValues(KeyParallel.mapValues(
                    (key, value) -> {
                        String result = slow(key, value);
                        if (isBad(value)) {
                            throw new IllegalStateException("cannot digest");
                        }
                        return result;
                    },
                    options("failing")))));
            application.drain(instances);
            Map<String, String> bad = new TreeMap<>();
            new Log(EmbeddedKafka.shared().bootstrapServers()).read(application.input(), record -> {
                if (isBad(text(record.value()))) {
                    bad.put(record.topic() + "-" + record.partition() + "@" + record.offset(), content(record));
                }
            });
            assertThat(bad).hasSize(60);
            assertThat(application.outputs()).isEqualTo(300 - bad.size());
            if (hasDeadLetters()) {
                Map<String, String> dead = new TreeMap<>();
                new Log(EmbeddedKafka.shared().bootstrapServers())
                        .read(
                                "dead-letters",
                                record -> assertThat(dead.put(origin(record), content(record)))
                                        .as("a dead letter before")
                                        .isNull());
                assertThat(dead).isEqualTo(bad);
            }
        }
    }

    /**
     * The control: natively, and with the gate, everything that a commit covers is done. Without
     * the gate, this check must detect the loss.
     */
    @Test
    void recordsAreLostWithoutTheGateAndThatIsNoticed() throws Exception {
        try (ParallelApplication application = application("forgetful", Map.of("commit.interval.ms", 100));
                Instances instances = new Instances()) {
            application.write(200);
            KeyParallelOptions options = KeyParallelOptions.builder("forgetful")
                    .ordering(Ordering.KEY_OUTPUT)
                    .maxConcurrency(300)
                    .build();
            KafkaStreams streams =
                    instances.add(application.instance(stream -> stream.processValues(new ForgetfulValues<>(
                            KeyParallel.mapValuesAsync(
                                    (key, value) -> value.equals("3")
                                            ? new CompletableFuture<String>()
                                            : CompletableFuture.completedFuture(value),
                                    options),
                            "forgetful"))));
            application.drain(instances);
            instances.stop(streams);
            assertThatThrownBy(() -> application.assertRight(false))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("results of");
        }
    }

    /**
     * Polls return 4,000 records, as with the client supplier, and each record takes more than a
     * second: the threads must continue to poll and commit. {@link PollDeadlineTest} shows that all
     * nodes of a thread together leave it the time; here the machine takes its time too.
     */
    @Test
    void threadsGoOnPollingWhileCallsTakeSeconds() throws Exception {
        AtomicBoolean isSlow = new AtomicBoolean(true);
        try (ParallelApplication application = application(
                        "seconds",
                        Map.of(
                                "commit.interval.ms",
                                1_000,
                                "max.poll.interval.ms",
                                10_000,
                                "main.consumer.max.poll.records",
                                4_000));
                Instances instances = new Instances()) {
            application.write(4_000);
            KafkaStreams streams =
                    instances.add(application.instance(stream -> stream.processValues(KeyParallel.mapValues(
                            (key, value) -> {
                                if (isSlow.get()) {
                                    LockSupport.parkNanos(1_300_000_000L);
                                }
                                return value;
                            },
                            KeyParallelOptions.builder("seconds")
                                    .maxConcurrency(4)
                                    .build()))));
            instances.await("a call", () -> Instances.sum(streams, NodeMetrics.GROUP, "running-calls") > 0);
            double polls = Instances.sum(streams, "stream-thread-metrics", "poll-total");
            instances.await(
                    "polls and results",
                    () -> Instances.sum(streams, "stream-thread-metrics", "poll-total") >= polls + 4
                            && Instances.sum(streams, NodeMetrics.GROUP, "forwarded-total") > 0);
            isSlow.set(false);
            application.drain(instances);
            application.assertRight(false);
        }
    }

    private ParallelApplication application(String name, Map<String, Object> settings) throws Exception {
        return ParallelApplication.create(name, settings, directory);
    }

    private static KeyParallelOptions options(String name) {
        return KeyParallelOptions.builder(name).maxConcurrency(32).build();
    }

    private static String slow(String key, String value) {
        LockSupport.parkNanos(Math.floorMod(value.hashCode(), 20) * 1_000_000L);
        return value;
    }

    private static void parkUninterruptibly(Duration span) {
        long end = System.nanoTime() + span.toNanos();
        for (long left = span.toNanos(); left > 0; left = end - System.nanoTime()) {
            boolean ignored = Thread.interrupted();
            LockSupport.parkNanos(left);
        }
    }

    private static boolean isBad(String value) {
        return Integer.parseInt(value) % 5 == 3;
    }

    /** Kafka Streams writes dead letters by itself since 4.2. */
    private static boolean hasDeadLetters() {
        return StreamsConfig.configDef().names().contains("errors.dead.letter.queue.topic.name");
    }

    private static String origin(ConsumerRecord<byte[], byte[]> letter) {
        return header(letter, "topic") + "-" + header(letter, "partition") + "@" + header(letter, "offset");
    }

    private static String header(ConsumerRecord<byte[], byte[]> letter, String name) {
        return text(letter.headers().lastHeader("__streams.errors." + name).value());
    }

    private static String content(ConsumerRecord<byte[], byte[]> record) {
        return text(record.key()) + "=" + text(record.value());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static double closedTasks(KafkaStreams streams) {
        return Instances.sum(streams, "stream-thread-metrics", "task-closed-total");
    }

    /** Reports once, when it is due, that its task is corrupted. */
    private static final class Corrupting extends ContextualFixedKeyProcessor<String, String, String> {
        private final AtomicBoolean isDue;

        private Corrupting(AtomicBoolean isDue) {
            this.isDue = isDue;
        }

        @Override
        public void process(FixedKeyRecord<String, String> record) {
            if (isDue.getAndSet(false)) {
                throw new TaskCorruptedException(Set.of(context().taskId()));
            }
            context().forward(record);
        }
    }
}
