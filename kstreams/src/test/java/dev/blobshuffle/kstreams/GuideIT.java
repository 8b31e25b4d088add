package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.Traffic;
import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The guide works: its Java is the example, its settings are accepted, and the example counts words
 * through blobs.
 */
class GuideIT {
    private static final Path GUIDE = Path.of("../docs/guides/kafka-streams.md");

    @TempDir
    private Path directory;

    @Test
    void javaOfTheGuideIsTheExample() throws Exception {
        String example =
                normalized(Files.readString(Path.of("src/test/java/dev/blobshuffle/kstreams/WordCountExample.java")));

        assertThat(snippets("java"))
                .isNotEmpty()
                .allSatisfy(java -> assertThat(example).contains(normalized(java)));
    }

    @Test
    void settingsOfTheGuideAreAccepted() throws Exception {
        assertThat(snippets("properties")).hasSizeGreaterThan(2).allSatisfy(text -> {
            Properties settings = new Properties();
            settings.load(new StringReader(text));
            Map<String, Object> all =
                    new HashMap<>(Map.of("application.id", "guide", "bootstrap.servers", "127.0.0.1:1"));
            settings.stringPropertyNames().forEach(name -> all.put(name, settings.getProperty(name)));
            all.putIfAbsent("blobshuffle.store", "file:///var/lib/blobs");
            assertThat(ApplicationSettings.of(all)).isNotNull();
        });
    }

    @Tag("every-kafka")
    @ParameterizedTest
    @MethodSource("dev.blobshuffle.kstreams.differential.Protocols#all")
    void exampleCountsWordsThroughBlobs(String protocol) throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
                Instances instances = new Instances()) {
            kafka.createTopic("lines", 2);
            kafka.createTopic("counts", 2);
            Properties settings =
                    WordCountExample.settings(kafka.bootstrapServers(), "file://" + directory.resolve("blobs"));
            settings.put("state.dir", directory.resolve("state").toString());
            settings.put("group.protocol", protocol);
            BlobShuffleClientSupplier.addTo(settings);
            instances.add(new KafkaStreams(WordCountExample.topology(), settings));
            write(kafka, "to be or not to be", "To be is to do");
            new Drain(admin, kafka.bootstrapServers(), "word-count", List.of("lines")).await(instances);

            Log log = new Log(kafka.bootstrapServers());
            Map<String, Long> counts = new HashMap<>();
            log.read(
                    "counts",
                    r -> counts.put(
                            new String(r.key(), java.nio.charset.StandardCharsets.UTF_8),
                            ByteBuffer.wrap(r.value()).getLong()));
            assertThat(counts).isEqualTo(Map.of("to", 4L, "be", 3L, "or", 1L, "not", 1L, "is", 1L, "do", 1L));
            assertThat(Traffic.of(admin, log, "word-count").plain()).isZero();
        }
    }

    @Tag("every-kafka")
    @Test
    void streamsAreOfTheVersionUnderTest() throws Exception {
        Properties version = new Properties();
        try (InputStream file = KafkaStreams.class.getResourceAsStream("/kafka/kafka-streams-version.properties")) {
            version.load(file);
        }
        assertThat(version.getProperty("version")).isEqualTo(System.getProperty("kafka.expected.version"));
        assertThat(KafkaVersion.present()).isEqualTo(System.getProperty("kafka.expected.version"));
    }

    private static void write(EmbeddedKafka kafka, String... lines) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (String line : lines) {
                producer.send(new ProducerRecord<>("lines", line)).get();
            }
        }
    }

    private static List<String> snippets(String language) throws Exception {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(GUIDE))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static String normalized(String java) {
        return java.replaceAll("\\s+", " ").strip();
    }
}
