package dev.blobshuffle.kafka.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.BlobProducer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A client that cannot be opened leaves nothing open: neither the real client nor the classes of
 * the application's settings.
 */
class ClientOpeningTest {
    private static final Set<Object> OPEN = ConcurrentHashMap.newKeySet();
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    @TempDir
    private Path directory;

    @BeforeEach
    void forget() throws IOException {
        Files.writeString(directory.resolve(StoreMarker.NAME), StoreMarker.content("0000000000000007"));
        OPEN.clear();
        SEEN.clear();
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "bootstrap.servers",
                "127.0.0.1:1",
                "metric.reporters",
                Reporter.class.getName(),
                "blobshuffle.store",
                directory.toUri().toString(),
                "blobshuffle.topics.include",
                "orders.*"));
        return settings;
    }

    /** An engine sweeps by the logs of one cluster, so another cluster needs another engine. */
    @Test
    void clientsOfTwoClustersHaveTwoEngines() {
        Map<String, Object> other = producers();
        other.put("bootstrap.servers", "127.0.0.1:2");
        try (BlobProducer<Object, Object> one = new BlobProducer<>(producers());
                BlobProducer<Object, Object> two = new BlobProducer<>(other)) {
            assertThat(SharedEngines.count()).isEqualTo(2);
        }
        assertThat(SharedEngines.count()).isZero();
    }

    private Map<String, Object> producers() {
        Map<String, Object> settings = settings();
        settings.put("key.serializer", Keys.class.getName());
        settings.put("value.serializer", Keys.class.getName());
        settings.put("interceptor.classes", Sending.class.getName());
        settings.put("partitioner.class", Choice.class.getName());
        return settings;
    }

    private Map<String, Object> consumers() {
        Map<String, Object> settings = settings();
        settings.put("group.id", "g");
        settings.put("key.deserializer", ReadKeys.class.getName());
        settings.put("value.deserializer", ReadKeys.class.getName());
        settings.put("interceptor.classes", Reading.class.getName());
        return settings;
    }

    @ParameterizedTest
    @CsvSource({
        "key.serializer, Broken",
        "value.serializer, Broken",
        "interceptor.classes, BrokenSending",
        "partitioner.class, BrokenChoice",
        "security.protocol, SASL_SSL" // what only the real client finds wrong
    })
    void aProducerThatCannotBeOpenedLeavesNothingOpen(String setting, String value) {
        Map<String, Object> settings = producers();
        settings.put(setting, value.startsWith("Broken") ? getClass().getName() + "$" + value : value);

        assertThatThrownBy(() -> new BlobProducer<>(settings)).isInstanceOf(Exception.class);
        assertThat(OPEN).isEmpty();
        assertThat(SharedEngines.count()).isZero();
    }

    /**
     * One failure for each step of the instance that clients share: the membership, the store, the
     * engine, the metrics.
     */
    @ParameterizedTest
    @CsvSource({
        "blobshuffle.peer.secret.file, /nowhere/secret",
        "blobshuffle.store, nowhere://blobs",
        "blobshuffle.cache.zone.enabled, true",
        "metric.reporters, BrokenReporter"
    })
    void anInstanceThatCannotBeOpenedLeavesNothingOpen(String setting, String value) {
        Map<String, Object> settings = producers();
        settings.put("blobshuffle.membership.topic", "members");
        settings.put(setting, value.startsWith("Broken") ? getClass().getName() + "$" + value : value);

        assertThatThrownBy(() -> new BlobProducer<>(settings)).isInstanceOf(Exception.class);
        assertThat(OPEN).isEmpty();
        assertThat(SharedEngines.count()).isZero();
    }

    /**
     * Threads end a moment after their pool's close; a thread that waits for brokers ends after ten
     * seconds. All tests wait for that together.
     */
    @AfterAll
    static void awaitNoThread() throws InterruptedException {
        Set<Thread> ours = Thread.getAllStackTraces().keySet();
        for (Thread thread : ours) {
            if (thread.getName().startsWith("blobshuffle-")) {
                thread.join(Duration.ofMinutes(2).toMillis());
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "key.deserializer, BrokenRead",
        "value.deserializer, BrokenRead",
        "interceptor.classes, BrokenReading",
        "security.protocol, SASL_SSL"
    })
    void aConsumerThatCannotBeOpenedLeavesNothingOpen(String setting, String value) {
        Map<String, Object> settings = consumers();
        settings.put(setting, value.startsWith("Broken") ? getClass().getName() + "$" + value : value);

        assertThatThrownBy(() -> new BlobConsumer<>(settings)).isInstanceOf(Exception.class);
        assertThat(OPEN).isEmpty();
        assertThat(SharedEngines.count()).isZero();
    }

    @Test
    void clientsOpenWhatTheSettingsNameAndCloseIt() {
        new BlobProducer<>(producers()).close();
        new BlobConsumer<>(consumers()).close();

        assertThat(new TreeSet<>(SEEN)).containsExactly("Choice", "Keys", "ReadKeys", "Reading", "Reporter", "Sending");
        assertThat(OPEN).isEmpty();
    }

    private static void opened(Object what) {
        OPEN.add(what);
        SEEN.add(what.getClass().getSimpleName());
    }

    /** Shows the life of the real client, which opens and closes it. */
    public static final class Reporter implements MetricsReporter {
        @Override
        public void init(List<KafkaMetric> metrics) {
            opened(this);
        }

        @Override
        public void metricChange(KafkaMetric metric) {}

        @Override
        public void metricRemoval(KafkaMetric metric) {}

        @Override
        public void close() {
            OPEN.remove(this);
        }

        @Override
        public void configure(Map<String, ?> configs) {}
    }

    /** Cannot be configured. */
    public static final class BrokenReporter implements MetricsReporter {
        @Override
        public void init(List<KafkaMetric> metrics) {}

        @Override
        public void metricChange(KafkaMetric metric) {}

        @Override
        public void metricRemoval(KafkaMetric metric) {}

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> configs) {
            throw new ConfigException("broken");
        }
    }

    /** Counts its instances. */
    public static class Keys extends StringSerializer {
        @Override
        public void configure(Map<String, ?> configs, boolean isKey) {
            opened(this);
        }

        @Override
        public void close() {
            OPEN.remove(this);
        }
    }

    /** Cannot be configured. */
    public static final class Broken extends Keys {
        @Override
        public void configure(Map<String, ?> configs, boolean isKey) {
            super.configure(configs, isKey);
            throw new ConfigException("broken");
        }
    }

    /** Counts its instances. */
    public static class ReadKeys extends StringDeserializer {
        @Override
        public void configure(Map<String, ?> configs, boolean isKey) {
            opened(this);
        }

        @Override
        public void close() {
            OPEN.remove(this);
        }
    }

    /** Cannot be configured. */
    public static final class BrokenRead extends ReadKeys {
        @Override
        public void configure(Map<String, ?> configs, boolean isKey) {
            super.configure(configs, isKey);
            throw new ConfigException("broken");
        }
    }

    /** Counts its instances. */
    public static class Sending implements ProducerInterceptor<String, String> {
        @Override
        public void configure(Map<String, ?> configs) {
            opened(this);
        }

        @Override
        public ProducerRecord<String, String> onSend(ProducerRecord<String, String> record) {
            return record;
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception exception) {}

        @Override
        public void close() {
            OPEN.remove(this);
        }
    }

    /** Its constructor fails. */
    public static final class BrokenSending extends Sending {
        /** Fails. */
        public BrokenSending() {
            throw new ConfigException("broken");
        }
    }

    /** Counts its instances. */
    public static class Reading implements ConsumerInterceptor<String, String> {
        @Override
        public void configure(Map<String, ?> configs) {
            opened(this);
        }

        @Override
        public ConsumerRecords<String, String> onConsume(ConsumerRecords<String, String> records) {
            return records;
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

        @Override
        public void close() {
            OPEN.remove(this);
        }
    }

    /** Its constructor fails. */
    public static final class BrokenReading extends Reading {
        /** Fails. */
        public BrokenReading() {
            throw new ConfigException("broken");
        }
    }

    /** Counts its instances. */
    public static class Choice implements Partitioner {
        @Override
        public void configure(Map<String, ?> configs) {
            opened(this);
        }

        @Override
        public int partition(String topic, Object key, byte[] keyBytes, Object value, byte[] bytes, Cluster cluster) {
            return 0;
        }

        @Override
        public void close() {
            OPEN.remove(this);
        }
    }

    /** Its constructor fails. */
    public static final class BrokenChoice extends Choice {
        /** Fails. */
        public BrokenChoice() {
            throw new ConfigException("broken");
        }
    }
}
