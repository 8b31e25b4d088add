package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.StateUpdaterDeath.Hold;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordingStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LockException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A restore consumer throws an exception that Kafka Streams' state updater does not handle. Shows
 * two defects of Kafka Streams before 4.4 natively, and that an application with our clients has
 * neither. {@code docs/testing/kafka-streams-standstill.md} has the reports.
 */
class StateUpdaterStandstillIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Kafka Streams 4.4 has neither defect. */
    private static final boolean HAS_DEFECTS = KafkaVersion.isOlder(KafkaVersion.present(), "4.4");

    private static EmbeddedKafka kafka;

    private final Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
    private final Queue<String> counted = new ConcurrentLinkedQueue<>();
    private final Queue<String> refusedLocks = new ConcurrentLinkedQueue<>();

    @TempDir
    private Path directory;

    /** The failure of the restore consumer. */
    enum Failure {
        EXCEPTION {
            @Override
            void occur() {
                throw new IllegalStateException("a defect in the restore consumer");
            }
        },
        ERROR {
            @Override
            void occur() {
                throw new NoClassDefFoundError("a class of the restore consumer");
            }
        };

        abstract void occur();
    }

    @BeforeAll
    static void startKafka() {
        kafka = EmbeddedKafka.shared();
    }

    @Tag("nightly")
    @Test
    void anExceptionStopsANativeApplicationBefore44() throws Exception {
        prepare("standstill-exception");
        StateUpdaterDeath death = new StateUpdaterDeath(Failure.EXCEPTION::occur, Hold.UNTIL_THE_UPDATER_IS_DEAD);
        try (RecordingStream exceptions = recordRefusedLocks();
                KafkaStreams streams = observed(
                        new KafkaStreams(topology("standstill-exception"), natively("standstill-exception"), death))) {
            streams.setGlobalStateRestoreListener(death);
            exceptions.startAsync();
            streams.start();
            Thread first = death.streamThread();
            if (!HAS_DEFECTS) {
                assertReplacedAndGoesOn("standstill-exception", streams, first);
                return;
            }
            try {
                await("a thread that waits for its updater", () -> isWaitingForUpdater(first) || !first.isAlive());
                assertThat(isWaitingForUpdater(first)).as(mended()).isTrue();
                assertThat(death.stateUpdater().isAlive()).isFalse();
                assertThat(uncaught).singleElement().isInstanceOf(StreamsException.class);

                await("locks that are refused", () -> areLocksRefused() || !first.isAlive());
                assertThat(isWaitingForUpdater(first)).as(mended()).isTrue();
                assertThat(streams.state()).isEqualTo(KafkaStreams.State.REBALANCING);
            } finally {
                // Ends the wait, which would take five minutes, twice.
                first.interrupt();
                first.join();
            }
        }
    }

    @Tag("nightly")
    @Test
    void anErrorCostsANativeApplicationTasksInSilenceBefore44() throws Exception {
        prepare("standstill-error");
        StateUpdaterDeath death = new StateUpdaterDeath(Failure.ERROR::occur, Hold.UNTIL_THE_UPDATER_IS_DEAD);
        try (KafkaStreams streams =
                observed(new KafkaStreams(topology("standstill-error"), natively("standstill-error"), death))) {
            streams.setGlobalStateRestoreListener(death);
            streams.start();
            if (!HAS_DEFECTS) {
                assertReplacedAndGoesOn("standstill-error", streams, death.streamThread());
                return;
            }
            await("a running application", () -> streams.state() == KafkaStreams.State.RUNNING || !uncaught.isEmpty());

            assertThat(uncaught).as(mended()).isEmpty();
            assertThat(death.stateUpdater().isAlive()).isFalse();
            assertThat(tasks(streams)).as(mended()).containsExactly("0_0");
            produce("standstill-error", 1);
            produce("standstill-error", 0);
            await("a count", () -> counted.contains("key-0"));
            assertThat(counted).as(mended()).containsExactly("key-0");
        }
    }

    @ParameterizedTest
    @EnumSource
    void applicationWithOurClientsReplacesTheThreadAndGoesOn(Failure failure) throws Exception {
        String application = "standstill-shuffled-" + failure.name().toLowerCase(Locale.ROOT);
        prepare(application);
        StateUpdaterDeath death = new StateUpdaterDeath(failure::occur, Hold.NONE);
        Properties settings = natively(application);
        settings.put("blobshuffle.store", "file://" + directory.resolve("blobs") + "?fsync=none");
        settings.put("blobshuffle.client.supplier", StateUpdaterDeathByName.class.getName());
        settings.put(StateUpdaterDeathByName.INSTANCE, death);
        KafkaClientSupplier clients = new BlobShuffleClientSupplier(settings);
        try (KafkaStreams streams = observed(new KafkaStreams(topology(application), settings, clients))) {
            streams.setGlobalStateRestoreListener(death);
            streams.start();
            assertReplacedAndGoesOn(application, streams, death.streamThread());
            assertThat(uncaught)
                    .singleElement()
                    .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                    .hasStackTraceContaining("the restore consumer's poll failed");
        }
    }

    private void assertReplacedAndGoesOn(String application, KafkaStreams streams, Thread first) throws Exception {
        await("the end of the first thread", () -> !first.isAlive());

        produce(application, 0);
        produce(application, 1);
        await("both counts", () -> counted.contains("key-0") && counted.contains("key-1"));
        assertThat(tasks(streams)).containsExactlyInAnyOrder("0_0", "0_1");
        assertThat(uncaught).singleElement().isInstanceOf(StreamsException.class);
    }

    private static boolean isWaitingForUpdater(Thread streamThread) {
        Set<String> methods = Arrays.stream(streamThread.getStackTrace())
                .map(StackTraceElement::getMethodName)
                .collect(Collectors.toSet());
        return methods.containsAll(Set.of("shutdownStateUpdater", "waitForFuture"));
    }

    /** Records the exceptions in the JVM, because Kafka Streams only logs them. */
    private RecordingStream recordRefusedLocks() {
        RecordingStream exceptions = new RecordingStream();
        exceptions.enable("jdk.JavaExceptionThrow");
        exceptions.onEvent("jdk.JavaExceptionThrow", event -> {
            if (event.getClass("thrownClass").getName().equals(LockException.class.getName())) {
                refusedLocks.add(event.getString("message"));
            }
        });
        return exceptions;
    }

    private boolean areLocksRefused() {
        return Set.of("0_0", "0_1").stream()
                .allMatch(task -> refusedLocks.stream().anyMatch(message -> message.endsWith("for task " + task)));
    }

    private static Set<String> tasks(KafkaStreams streams) {
        return streams.metadataForLocalThreads().stream()
                .flatMap(thread -> thread.activeTasks().stream())
                .map(task -> task.taskId().toString())
                .collect(Collectors.toSet());
    }

    private static String mended() {
        return "Kafka Streams " + KafkaVersion.present()
                + " does not seem to have this defect. Correct HAS_DEFECTS and docs/testing/kafka-streams-standstill.md;"
                + " RestoreFailures can go when all supported versions are fixed. It";
    }

    private static void prepare(String application) {
        kafka.createTopic(application + "-in", 2);
        String changelog = application + "-counts-changelog";
        kafka.createTopic(changelog, 2, Map.of("cleanup.policy", "compact"));
        try (Producer<String, Long> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()), new StringSerializer(), new LongSerializer())) {
            producer.send(new ProducerRecord<>(changelog, 1, "restored", 7L));
        }
    }

    private static void produce(String application, int partition) throws Exception {
        try (Producer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>(application + "-in", partition, "key-" + partition, ""))
                    .get();
        }
    }

    private Properties natively(String application) {
        Properties settings = new Properties();
        settings.put("application.id", application);
        settings.put("bootstrap.servers", kafka.bootstrapServers());
        settings.put("state.dir", directory.resolve("state").toString());
        // then the waiting thread is out of the group
        settings.put("main.consumer.max.poll.interval.ms", 6_000);
        settings.put("session.timeout.ms", 3_000); // a thread that ends does not leave its group
        settings.put("heartbeat.interval.ms", 500);
        settings.put("commit.interval.ms", 100); // Then counts leave their cache.
        return settings;
    }

    private KafkaStreams observed(KafkaStreams streams) {
        streams.setUncaughtExceptionHandler(exception -> {
            uncaught.add(exception);
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
        return streams;
    }

    private Topology topology(String application) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(application + "-in", Consumed.with(Serdes.String(), Serdes.String()))
                .groupByKey()
                .count(Materialized.as("counts"))
                .toStream()
                .foreach((key, count) -> counted.add(key));
        return builder.build();
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(condition);
    }
}
