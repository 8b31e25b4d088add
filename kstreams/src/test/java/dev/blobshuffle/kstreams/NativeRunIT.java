package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.internal.application.PlainClientSupplier;
import dev.blobshuffle.kstreams.operator.BlobShuffle;
import dev.blobshuffle.kstreams.operator.StoreConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application that passes another supplier to the constructor of KafkaStreams gets a report that
 * it runs natively.
 */
class NativeRunIT {
    private static EmbeddedKafka kafka;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startKafka() {
        kafka = EmbeddedKafka.shared();
        kafka.createTopic(NativeApplication.INPUT, 1);
    }

    @Test
    void nativeApplicationIsReportedUntilASupplierComes() throws Exception {
        Process process = NativeApplication.start(kafka.bootstrapServers(), directory);
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(output)
                    .containsSubsequence(
                            "ERROR",
                            "runs natively in this process",
                            "new KafkaStreams(topology, settings, new BlobShuffleClientSupplier(settings))",
                            "native-app-StreamThread-1",
                            NativeApplication.METRIC_IS + 1,
                            "INFO",
                            "native-app has BlobShuffle's clients now",
                            "WARN",
                            "Setting blobshufle.zone has no effect",
                            "INFO",
                            "started for application native-app: topics internal repartition topics of native-app;",
                            "file://" + directory.resolve("blobs"),
                            NativeApplication.METRIC_IS_GONE,
                            "WARN",
                            "none of the topics [native-in] matches internal repartition topics of native-app")
                    .containsOnlyOnce("runs natively in this process");
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void operatorsRefuseToRunBesideASupplierThatHasNoEffect() throws Exception {
        Properties settings =
                NativeApplication.settings(kafka.bootstrapServers(), "operators-" + System.nanoTime(), directory);
        settings.put("blobshuffle.topics.exclude", ".*");
        StreamsBuilder builder = new StreamsBuilder();
        BlobShuffle<String, String> byKey = BlobShuffle.<String, String>builder("by-key", 1)
                .serdes(Serdes.String(), Serdes.String())
                .store(new StoreConfig("file://" + directory.resolve("operators")))
                .build();
        byKey.repartition(builder.stream(NativeApplication.INPUT, Consumed.with(Serdes.String(), Serdes.String())))
                .foreach((key, value) -> {});
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        try (KafkaStreams streams = new KafkaStreams(builder.build(), settings, new PlainClientSupplier())) {
            streams.setUncaughtExceptionHandler(thrown -> {
                failure.complete(thrown);
                return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            });
            streams.start();

            assertThat(failure.get(1, TimeUnit.MINUTES))
                    .hasRootCauseInstanceOf(InvalidSettingsException.class)
                    .rootCause()
                    .hasMessageContaining("another client supplier was passed to the constructor");
        }
    }
}
