package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * Gaps under {@code group.protocol=streams} (KIP-1071): combinations that a broker does not reject,
 * and their effects. If a change of Kafka makes one of these tests fail, native instances can be
 * rejected there.
 */
@EnabledIf("dev.blobshuffle.kstreams.differential.Protocols#hasStreams")
class StreamsGroupIT {
    private static EmbeddedKafka kafka;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startKafka() {
        kafka = EmbeddedKafka.shared();
        kafka.createTopic("mixed-in", 4);
    }

    @Test
    void nativeInstanceIsAdmittedBesideOneThatWritesBlobs() {
        String application = "mixed-" + System.nanoTime();
        try (KafkaStreams blobs = blobs(application, topology(4));
                KafkaStreams natively = natively(application, topology(4))) {
            blobs.start();
            natively.start();

            await(() -> activeTasks(blobs) > 0 && activeTasks(natively) > 0);
        }
    }

    /**
     * The broker compares topologies. A mark in the topology of instances that write would exclude
     * them from their own group.
     */
    @Test
    void instanceWithAnotherTopologyIsRefusedSoThatAMarkThereWouldForbidToRollIn() throws Exception {
        String application = "marked-" + System.nanoTime();
        CompletableFuture<Throwable> refusal = new CompletableFuture<>();
        try (KafkaStreams natively = natively(application, topology(4));
                KafkaStreams marked = blobs(application, topology(8))) {
            natively.start();
            await(() -> activeTasks(natively) > 0);
            marked.setUncaughtExceptionHandler(thrown -> {
                refusal.complete(thrown);
                return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            });
            marked.start();

            assertThat(refusal.get(1, TimeUnit.MINUTES)).hasRootCauseInstanceOf(InvalidRequestException.class);
            assertThat(activeTasks(natively)).isPositive();
        }
    }

    private static Topology topology(int partitions) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("mixed-in", Consumed.with(Serdes.String(), Serdes.String()))
                .repartition(Repartitioned.with(Serdes.String(), Serdes.String())
                        .withName("again")
                        .withNumberOfPartitions(partitions))
                .foreach((key, value) -> {});
        return builder.build();
    }

    private KafkaStreams natively(String application, Topology topology) {
        return new KafkaStreams(topology, settings(application, "natively"));
    }

    private KafkaStreams blobs(String application, Topology topology) {
        Properties settings = settings(application, "blobs");
        settings.put("blobshuffle.store", "file://" + directory.resolve("store"));
        settings.put("__internal.consumer.wrapper__", BlobConsumerWrapper.class.getName());
        KafkaClientSupplier supplier = new BlobShuffleClientSupplier(settings);
        return new KafkaStreams(topology, settings, supplier);
    }

    private Properties settings(String application, String instance) {
        Properties settings = new Properties();
        settings.put("application.id", application);
        settings.put("client.id", instance);
        settings.put("bootstrap.servers", kafka.bootstrapServers());
        settings.put("state.dir", directory.resolve(instance).toString());
        settings.put("group.protocol", "streams");
        return settings;
    }

    private static int activeTasks(KafkaStreams streams) {
        return streams.metadataForLocalThreads().stream()
                .mapToInt(thread -> thread.activeTasks().size())
                .sum();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await("the assignment")
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(50))
                .until(condition);
    }
}
