package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.NewTopics;
import dev.blobshuffle.kstreams.differential.Traffic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application's interceptors see the same as natively: every record once, and no notification.
 */
class InterceptorsIT {
    private static final int RECORDS = 300;
    private static final Map<String, AtomicInteger> CALLS = new ConcurrentHashMap<>();

    @TempDir
    private Path directory;

    @Test
    void everyRecordIsSeenOnceOnItsWayInAndOut() throws Exception {
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            NewTopics.create(admin, List.of("seen-events", "seen-moved"), 2);
            try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", kafka.bootstrapServers()),
                    new StringSerializer(),
                    new StringSerializer())) {
                for (int i = 0; i < RECORDS; i++) {
                    producer.send(new ProducerRecord<>("seen-events", "k" + i, "v" + i));
                }
            }
            StreamsBuilder builder = new StreamsBuilder();
            builder.<String, String>stream("seen-events")
                    .selectKey((key, value) -> value)
                    .repartition(Repartitioned.as("by-value"))
                    .to("seen-moved");
            try (Instances instances = new Instances()) {
                instances.add(new KafkaStreams(builder.build(), settings(kafka.bootstrapServers())));
                new Drain(admin, kafka.bootstrapServers(), "seen", List.of("seen-events")).await(instances);
            }

            String repartition = "seen-by-value-repartition";
            Map<String, Integer> expected = new HashMap<>();
            for (int i = 0; i < RECORDS; i++) {
                expected.put("sent " + repartition + " v" + i, 1);
                expected.put("sent seen-moved v" + i, 1);
                expected.put("read seen-events v" + i, 1);
                expected.put("read " + repartition + " v" + i, 1);
            }
            expected.put("acknowledged " + repartition, RECORDS);
            expected.put("acknowledged seen-moved", RECORDS);
            Map<String, Integer> calls = new HashMap<>();
            CALLS.forEach((call, count) -> calls.put(call, count.get()));
            assertThat(calls).isEqualTo(expected);
            assertThat(Traffic.of(admin, new Log(kafka.bootstrapServers()), "seen")
                            .notifications())
                    .isPositive();
        }
    }

    private Properties settings(String bootstrap) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "seen");
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve("state").toString());
        settings.put(StreamsConfig.producerPrefix("transaction.timeout.ms"), 300_000);
        settings.put(StreamsConfig.REPARTITION_PURGE_INTERVAL_MS_CONFIG, 3_600_000);
        settings.put(StreamsConfig.producerPrefix("interceptor.classes"), Sent.class.getName());
        settings.put(StreamsConfig.mainConsumerPrefix("interceptor.classes"), Read.class.getName());
        settings.put("blobshuffle.store", "file://" + directory.resolve("blobs") + "?fsync=none");
        settings.put("blobshuffle.inline.max.bytes", 0);
        return BlobShuffleClientSupplier.addTo(settings);
    }

    private static void called(String call) {
        CALLS.computeIfAbsent(call, first -> new AtomicInteger()).incrementAndGet();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Counts what is sent. */
    public static final class Sent implements ProducerInterceptor<byte[], byte[]> {
        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            called("sent " + record.topic() + " " + text(record.value()));
            return record;
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception failure) {
            called((failure == null && metadata.hasOffset() ? "acknowledged " : "lost ") + metadata.topic());
        }

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> settings) {}
    }

    /** Counts what is read. */
    public static final class Read implements ConsumerInterceptor<byte[], byte[]> {
        @Override
        public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
            records.forEach(record -> called("read " + record.topic() + " " + text(record.value())));
            return records;
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> settings) {}
    }
}
