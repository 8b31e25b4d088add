package dev.blobshuffle.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.StoreFinding.Level;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks the doctor's findings about clients: by their settings, and by the jars on a class path.
 */
class ClientAdviceTest {
    private static Finding only(String subject, Map<String, String> configuration) {
        return ClientAdvice.of(configuration).stream()
                .filter(finding -> finding.subject().equals(subject))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "application.id=a, producer.compression.type=gzip, OK, 'blobs: zstd, because'",
        "application.id=a, compression.type=snappy, OK, 'blobs: lz4, because'",
        "group.id=g, compression.type=zstd, HINT, is for plain records",
        "group.id=g, blobshuffle.compression.type=lz4, OK, 'blobs: lz4; plain records: none'",
        "group.id=g, compression.type=none, HINT, blobs are not compressed"
    })
    void compressionOfBlobsIsNotThatOfRecords(String first, String second, Level level, String what) {
        Finding finding = only("compression", Map.of(name(first), value(first), name(second), value(second)));
        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.what()).contains(what);
    }

    private static String name(String setting) {
        return setting.substring(0, setting.indexOf('='));
    }

    private static String value(String setting) {
        return setting.substring(setting.indexOf('=') + 1);
    }

    @Test
    void pluginsAreNamed() {
        assertThat(only("partitioner", Map.of("producer.partitioner.class", "com.acme.ByRegion"))
                        .what())
                .contains("com.acme.ByRegion");
        assertThat(only("interceptors", Map.of("consumer.interceptor.classes", "com.acme.Audit"))
                        .level())
                .isEqualTo(Level.OK);
        Finding refused = only(
                "interceptors",
                Map.of(
                        "application.id", "a",
                        "group.protocol", "streams",
                        "main.consumer.interceptor.classes", "com.acme.Audit"));
        assertThat(refused.level()).isEqualTo(Level.ERROR);
        assertThat(ClientAdvice.of(Map.of("blobshuffle.compression.type", "zstd")))
                .extracting(Finding::subject)
                .containsExactly("compression");
    }

    @ParameterizedTest
    @CsvSource({
        "kafka-clients-3.8.1.jar, ERROR, older than 3.9",
        "kafka-clients-9.0.0.jar, HINT, newer than",
        "kafka-clients-4.3.1.jar, OK, in the tested range",
        "kafka-streams-4.1.0.jar, WARNING, kafka-streams is [4.1.0] and kafka-clients [4.3.0]",
        "kafka-clients-4.2.0.jar, ERROR, 'versions [4.2.0, 4.3.0]'",
        "blobshuffle-s3-0.2.0.jar, ERROR, 'versions [0.1.0, 0.2.0]'"
    })
    void versionsThatDoNotFitAreFound(String jar, Level level, String what, @TempDir Path directory)
            throws IOException {
        String[] others = {"blobshuffle-core-0.1.0.jar", "zstd-jni-1.5.6-10.jar", "lz4-java-1.8.0.jar", "acme-1.jar"};
        for (String other : others) {
            Files.createFile(directory.resolve(other));
        }
        boolean isAlone = jar.startsWith("kafka-clients") && !jar.contains("4.2");
        if (!isAlone) {
            Files.createFile(directory.resolve("kafka-clients-4.3.0.jar"));
        }
        String classPath = directory + File.separator + "*" + File.pathSeparator + "elsewhere/" + jar;
        assertThat(ClassPathAdvice.of(classPath)).anySatisfy(finding -> {
            assertThat(finding.level()).isEqualTo(level);
            assertThat(finding.what()).contains(what);
        });
    }

    @Test
    void whatIsMissingIsFound(@TempDir Path directory) throws IOException {
        Files.createFile(directory.resolve("kafka-clients-4.3.0.jar"));
        assertThat(ClassPathAdvice.of(directory.toString()))
                .anySatisfy(finding -> assertThat(finding.what()).contains("there is no jar of BlobShuffle"))
                .anySatisfy(finding -> assertThat(finding.what()).contains("zstd-jni and lz4-java is missing"));
        assertThat(ClassPathAdvice.of(directory.resolve("none").toString()))
                .singleElement()
                .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.ERROR));
    }
}
