package dev.blobshuffle.bench.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.skip.SkipCommand;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.operator.BlobShuffle;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * {@code skip} beside an application with explicit operators, on a real broker and a file store out
 * of which a blob was taken. Here and not with the tool, which does without Kafka Streams.
 */
class SkipOperatorsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final String APPLICATION = "by-operators";
    private static final String INPUT = APPLICATION + "-input";
    private static final String OUTPUT = APPLICATION + "-output";
    private static final TopicPartition SHUFFLED = new TopicPartition(APPLICATION + "-moved-repartition", 0);

    private final List<String> output = new ArrayList<>();

    @TempDir
    private Path directory;

    private KafkaConsumer<String, String> reader;

    @Test
    void applicationGoesOnBehindWhatIsMissingAndReadsEverythingElse() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            KAFKA.createTopic(INPUT, 1);
            KAFKA.createTopic(OUTPUT, 1);
            try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                    Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "auto.offset.reset", "earliest"),
                    new StringDeserializer(),
                    new StringDeserializer())) {
                reader = consumer;
                reader.assign(List.of(new TopicPartition(OUTPUT, 0)));
                shuffleEachInABlobOfItsOwn("a", "b", "c");
                awaitEmpty(admin);
                readAgain(admin);
                lose(1);

                assertThat(failure()).hasStackTraceContaining(BlobMissingException.class.getName());
                awaitEmpty(admin);
                readAgain(admin);
                assertThat(skip()).contains(SHUFFLED + ": offsets 1 to 1, 1 notifications of 1 records");
                Instant inAWeek = Instant.now().plus(Duration.ofDays(7));
                String told = skip("--execute");
                assertThat(told).contains("1 records are given up", APPLICATION + "-blobshuffle-skipped");
                // offsets.retention.minutes of this broker is Kafka's own.
                assertThat(Instant.parse(told.replaceAll("(?s).*Start it before (\\S+):.*", "$1")))
                        .isBetween(inAWeek, inAWeek.plus(Duration.ofHours(1)));
                int before = notes();

                try (KafkaStreams streams = application()) {
                    streams.start();
                    send("d");
                    awaitOutput("d");
                }
                assertThat(notes()).as("the application wrote the note anew").isGreaterThan(before);
                // What came before b in the run that failed may be there twice: it was not
                // committed.
                assertThat(output)
                        .endsWith("a", "c", "d")
                        .filteredOn("b"::equals)
                        .hasSize(1);
            }
        }
    }

    /** How often what is given up was written, as the brokers' own topic tells. */
    private int notes() {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor("__consumer_offsets").stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            int notes = 0;
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    String key = new String(record.key(), StandardCharsets.ISO_8859_1);
                    notes += key.contains(APPLICATION + "-blobshuffle-skipped") && record.value() != null ? 1 : 0;
                }
            }
            return notes;
        }
    }

    private KafkaStreams application() {
        Properties settings = new Properties();
        settings.put("application.id", APPLICATION);
        settings.put("bootstrap.servers", KAFKA.bootstrapServers());
        settings.put("state.dir", directory.resolve("state").toString());
        settings.put("num.stream.threads", 1);
        settings.put("commit.interval.ms", 100);
        settings.put("repartition.purge.interval.ms", 3_600_000);
        settings.put("session.timeout.ms", 3_000);
        settings.put("heartbeat.interval.ms", 500);
        settings.put("default.key.serde", Serdes.StringSerde.class);
        settings.put("default.value.serde", Serdes.StringSerde.class);
        settings.put("blobshuffle.store", directory.resolve("blobs").toUri() + "?fsync=none");
        settings.put("blobshuffle.inline.max.bytes", "0");
        StreamsBuilder builder = new StreamsBuilder();
        BlobShuffle.<String, String>builder("moved", 1)
                .serdes(Serdes.String(), Serdes.String())
                .build()
                .repartition(builder.<String, String>stream(INPUT))
                .to(OUTPUT);
        return new KafkaStreams(builder.build(), settings);
    }

    private void send(String value) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>(INPUT, "k", value)).get();
        }
    }

    private void shuffleEachInABlobOfItsOwn(String... values) throws Exception {
        try (KafkaStreams streams = application()) {
            streams.start();
            for (String value : values) {
                send(value);
                awaitOutput(value);
            }
        }
    }

    private void awaitOutput(String value) {
        Awaitility.await("output " + value)
                .pollInSameThread()
                .pollInterval(Duration.ofMillis(1))
                .atMost(PATIENCE)
                .until(() -> {
                    reader.poll(Duration.ofMillis(100)).forEach(record -> output.add(record.value()));
                    return output.contains(value);
                });
    }

    /** Why the application stops. */
    private Throwable failure() throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        try (KafkaStreams streams = application()) {
            streams.setUncaughtExceptionHandler(thrown -> {
                failure.complete(thrown);
                return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            });
            streams.start();
            return failure.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private void awaitEmpty(Admin admin) throws Exception {
        Awaitility.await("the session's end")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> GroupState.EMPTY
                        == admin.describeConsumerGroups(List.of(APPLICATION))
                                .describedGroups()
                                .get(APPLICATION)
                                .get()
                                .groupState());
    }

    /** Brings the application back to its first notification. */
    private static void readAgain(Admin admin) throws Exception {
        admin.alterConsumerGroupOffsets(APPLICATION, Map.of(SHUFFLED, new OffsetAndMetadata(0)))
                .all()
                .get();
    }

    private void lose(int sequence) throws IOException {
        Files.delete(LiveFiles.blobs(directory.resolve("blobs")).stream()
                .filter(file -> file.toString().endsWith("-" + sequence + ".blob"))
                .findFirst()
                .orElseThrow());
    }

    private String skip(String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--bootstrap",
                KAFKA.bootstrapServers(),
                "--store",
                directory.resolve("blobs").toUri().toString(),
                "--group",
                APPLICATION,
                "--topic",
                SHUFFLED.topic()));
        arguments.addAll(Arrays.asList(more));
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out);
        int status = new CommandLine(new SkipCommand())
                .setOut(writer)
                .setErr(writer)
                .execute(arguments.toArray(String[]::new));
        assertThat(status).as(out.toString()).isZero();
        return out.toString();
    }
}
