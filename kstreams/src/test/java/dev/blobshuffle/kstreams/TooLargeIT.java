package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.NewTopics;
import dev.blobshuffle.kstreams.differential.Row;
import dev.blobshuffle.kstreams.operator.BlobShuffle;
import dev.blobshuffle.kstreams.operator.StoreConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProcessingExceptionHandler;
import org.apache.kafka.streams.errors.ProductionExceptionHandler;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A record above the size limit: the application's handler decides about it, once. */
class TooLargeIT {
    private static final int RECORDS = 40;
    private static final Map<String, Queue<Class<?>>> HANDLED = new ConcurrentHashMap<>();

    private final EmbeddedKafka kafka = EmbeddedKafka.shared();

    @TempDir
    private Path directory;

    /** The topics of an application, with one large record among small ones. */
    private void write(Admin admin, String application) throws Exception {
        NewTopics.create(admin, List.of(application + "-in", application + "-out"), 1);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                String value = i == RECORDS / 2 ? "v".repeat(5_000) : "v" + i;
                producer.send(new ProducerRecord<>(application + "-in", "k" + i, value));
            }
        }
    }

    private static KStream<String, String> input(StreamsBuilder builder, String application) {
        return builder.<String, String>stream(application + "-in")
                .selectKey((key, value) -> value.substring(0, Math.min(4, value.length())));
    }

    private void runToTheEnd(Admin admin, StreamsBuilder builder, Properties settings, String application)
            throws Exception {
        try (Instances instances = new Instances()) {
            instances.add(new KafkaStreams(builder.build(), settings));
            new Drain(admin, kafka.bootstrapServers(), application, List.of(application + "-in")).await(instances);
        }
        List<Row> rows = new Log(kafka.bootstrapServers()).rows(application + "-out");
        assertThat(rows).hasSize(RECORDS - 1);
    }

    private Properties settings(String application, String guarantee) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve("state").toString());
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
        settings.put(StreamsConfig.REPARTITION_PURGE_INTERVAL_MS_CONFIG, 3_600_000);
        settings.put("production.exception.handler", Continuing.class.getName());
        settings.put("processing.exception.handler", ContinuingProcessing.class.getName());
        return settings;
    }

    @ParameterizedTest
    @ValueSource(strings = {StreamsConfig.EXACTLY_ONCE_V2, StreamsConfig.AT_LEAST_ONCE})
    void handlerHearsOfItOnceAndTheOthersGoOn(String guarantee) throws Exception {
        String application = "large-" + guarantee;
        StreamsBuilder builder = new StreamsBuilder();
        input(builder, application)
                .repartition(Repartitioned.<String, String>as("by-value").withNumberOfPartitions(2))
                .to(application + "-out");
        Properties settings = settings(application, guarantee);
        settings.put("blobshuffle.store", "file://" + directory.resolve("blobs") + "?fsync=none");
        settings.put("blobshuffle.inline.max.bytes", 0);
        settings.put("blobshuffle.record.max.bytes", 2048);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            write(admin, application);
            runToTheEnd(admin, builder, BlobShuffleClientSupplier.addTo(settings), application);
        }
        assertThat(HANDLED.get(application + "-by-value-repartition"))
                .singleElement()
                .isEqualTo(RecordTooLargeException.class);
    }

    /** With explicit operators, the processing handler decides. */
    @Test
    void operatorsLeaveTheRecordToTheProcessingHandler() throws Exception {
        String application = "large-operators";
        StreamsBuilder builder = new StreamsBuilder();
        BlobShuffle.<String, String>builder("by-value", 2)
                .serdes(Serdes.String(), Serdes.String())
                .store(new StoreConfig("file://" + directory.resolve("blobs") + "?fsync=none"))
                .build()
                .repartition(input(builder, application))
                .to(application + "-out");
        Properties settings = settings(application, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put("blobshuffle.record.max.bytes", 2048);
        settings.put("blobshuffle.inline.max.bytes", 0);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            write(admin, application);
            runToTheEnd(admin, builder, settings, application);
        }
        assertThat(HANDLED.get("processing")).hasSize(1);
    }

    /** Records the calls, and continues. */
    public static final class Continuing implements ProductionExceptionHandler {
        @Override
        public Response handleError(
                ErrorHandlerContext context, ProducerRecord<byte[], byte[]> record, Exception exception) {
            HANDLED.computeIfAbsent(record.topic(), topic -> new ConcurrentLinkedQueue<>())
                    .add(exception.getClass());
            return Response.resume();
        }

        @Override
        public void configure(Map<String, ?> settings) {}
    }

    /** The same for exceptions of processors. */
    public static final class ContinuingProcessing implements ProcessingExceptionHandler {
        @Override
        public Response handleError(ErrorHandlerContext context, Record<?, ?> record, Exception exception) {
            HANDLED.computeIfAbsent("processing", topic -> new ConcurrentLinkedQueue<>())
                    .add(exception.getClass());
            return Response.resume();
        }

        @Override
        public void configure(Map<String, ?> settings) {}
    }
}
