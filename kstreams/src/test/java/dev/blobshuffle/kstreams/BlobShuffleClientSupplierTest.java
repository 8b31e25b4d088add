package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Valid and invalid settings of an application. An invalid one is reported before anything starts,
 * with the remedy.
 */
class BlobShuffleClientSupplierTest {
    @TempDir
    private Path directory;

    @Test
    void twoSettingsAreEnough() {
        ApplicationSettings settings = ApplicationSettings.of(settings());

        assertThat(settings.mode()).isEqualTo(Mode.KAFKA_STREAMS_ALO);
        assertThat(settings.topics().matches("app-counts-repartition")).isTrue();
        assertThat(settings.topics().matches("app-fk-subscription-registration-topic"))
                .isTrue();
        assertThat(settings.topics().matches("other-counts-repartition")).isFalse();
        assertThat(settings.topics().matches("app-counts-changelog")).isFalse();
    }

    @Test
    void guaranteeDecidesAboutTheMode() {
        assertThat(ApplicationSettings.of(settings("processing.guarantee", "exactly_once_v2"))
                        .mode())
                .isEqualTo(Mode.KAFKA_STREAMS_EOS);
    }

    @Test
    void commitWaitsLessThanItsTransactionMayLast() {
        Map<String, Object> settings = settings("processing.guarantee", "exactly_once_v2");
        settings.put("producer.transaction.timeout.ms", 20_000);
        settings.put("commit.interval.ms", 1_000);

        assertThat(ApplicationSettings.of(settings).waitLimit()).isEqualTo(Duration.ofSeconds(17));
    }

    @Test
    void commitWaitsLessThanTheGroupWaitsForAPoll() {
        assertThat(ApplicationSettings.of(settings("max.poll.interval.ms", 60_000))
                        .waitLimit())
                .isEqualTo(Duration.ofSeconds(30));
    }

    @ParameterizedTest
    @CsvSource({
        "producer.compression.type, lz4, LZ4",
        "producer.compression.type, snappy, LZ4",
        "producer.compression.type, zstd, ZSTD",
        "compression.type, gzip, ZSTD",
        "producer.compression.type, none, NONE",
    })
    void blobsAreCompressedAsTheProducerWouldCompress(String name, String compression, Codec codec) {
        assertThat(ApplicationSettings.of(settings(name, compression)).blobs().value(WriteSettings.COMPRESSION_TYPE))
                .isEqualTo(codec);
    }

    @Test
    void ownCompressionSettingTakesPrecedence() {
        Map<String, Object> settings = settings("producer.compression.type", "gzip");
        settings.put("blobshuffle.compression.type", "none");

        assertThat(ApplicationSettings.of(settings).blobs().value(WriteSettings.COMPRESSION_TYPE))
                .isEqualTo(Codec.NONE);
    }

    @Test
    void pollBringsMoreRecordsThanNatively() {
        assertThat(ApplicationSettings.of(settings()).pollRecords())
                .hasValueSatisfying(records -> assertThat(records).isGreaterThan(1000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"max.poll.records", "consumer.max.poll.records", "main.consumer.max.poll.records"})
    void pollBringsWhatTheApplicationChose(String name) {
        assertThat(ApplicationSettings.of(settings(name, 1000)).pollRecords()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "blobshuffle.batch.max.delay, 5, blobshuffle.batch.max.delay.ms",
        "blobshuffle.batch.max.bytes, many, blobshuffle.batch.max.bytes",
        "group.protocol, streams, addTo(settings)",
        "blobshuffle.topics.include, app-.*-changelog, compacted",
        "producer.max.request.size, 100, max.request.size is 100",
        "topic.cleanup.policy, 'compact,delete', topic.cleanup.policy is compact",
        "topic.max.message.bytes, 150, topic.max.message.bytes is 150",
        "topic.max.message.bytes, many, topic.max.message.bytes: Not a number",
        "blobshuffle.client.supplier, no.such.Supplier, Name a public class",
        "blobshuffle.client.supplier, dev.blobshuffle.kstreams.BlobShuffleClientSupplier, itself",
    })
    void settingThatCannotWorkIsRefusedWithItsRemedy(String name, String value, String remedy) {
        BlobShuffleClientSupplier supplier = new BlobShuffleClientSupplier();

        assertThatThrownBy(() -> supplier.configure(settings(name, value)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(remedy);
    }

    /** A framework with several streams may pass them one supplier. */
    @Test
    void clientsOfAnotherApplicationAreRefused() {
        BlobShuffleClientSupplier supplier = new BlobShuffleClientSupplier();
        supplier.configure(settings());

        assertThatThrownBy(() -> supplier.getConsumer(Map.of("group.id", "second")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("application second")
                .hasMessageContaining("the settings of application app");
    }

    /** Kafka Streams itself starts with these, so the application starts and waits less. */
    @ParameterizedTest
    @CsvSource({
        "10000, 9900, 120000, 2000",
        "10000, 10000, 120000, 2000",
        "10000, 6000, 120000, 3000",
        "10000, 100, 60000, 8900",
        "1000, 1000, 60000, 200",
        "10000, 9900, 1000, 1000",
    })
    void commitIntervalNearTheTransactionTimeoutMakesCommitsWaitLess(
            int transaction, int interval, int delivery, int expected) {
        Map<String, Object> settings = settings("processing.guarantee", "exactly_once_v2");
        settings.put("producer.transaction.timeout.ms", transaction);
        settings.put("commit.interval.ms", interval);
        settings.put("blobshuffle.delivery.timeout.ms", delivery);

        assertThat(ApplicationSettings.of(settings).waitLimit()).isEqualTo(Duration.ofMillis(expected));
    }

    @Test
    void consumerInterceptorsAreRefusedWhereKafkaStreamsMakesTheConsumer() {
        Map<String, Object> settings = settings("group.protocol", "streams");
        settings.put("__internal.consumer.wrapper__", ApplicationSettings.WRAPPER_CLASS);
        settings.put("consumer.interceptor.classes", "some.Interceptor");

        assertThatThrownBy(() -> ApplicationSettings.of(settings))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("group.protocol=classic");
    }

    @Test
    void producerThatCouldDeliverAfterASweepIsRefused() {
        Map<String, Object> settings = settings();
        settings.put("producer.delivery.timeout.ms", Integer.MAX_VALUE);

        assertThatThrownBy(() -> ApplicationSettings.of(settings))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("delivery.timeout.ms=2147483647")
                .hasMessageContaining("blobshuffle.sweep.interval.ms=3600000");
        settings.put("blobshuffle.sweep.interval.ms", 0);
        assertThat(ApplicationSettings.of(settings).notificationTimeout())
                .as("nobody sweeps")
                .isEqualTo(Duration.ofMillis(Integer.MAX_VALUE));
    }

    @Test
    void transactionBoundsWhatItsProducerDelivers() {
        Map<String, Object> settings = settings("processing.guarantee", "exactly_once_v2");

        assertThat(ApplicationSettings.of(settings).notificationTimeout()).isEqualTo(Duration.ofSeconds(10));
        settings.put("producer.transaction.timeout.ms", 3_600_000);
        assertThatThrownBy(() -> ApplicationSettings.of(settings))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("transaction.timeout.ms=3600000")
                .hasMessageContaining("blobshuffle.sweep.interval.ms");
    }

    @Test
    void missingStoreIsRefused() {
        Map<String, Object> settings = settings();
        settings.remove("blobshuffle.store");

        assertThatThrownBy(() -> ApplicationSettings.of(settings))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.store");
    }

    @Test
    void supplierWithoutSettingsSaysHowToGiveThem() {
        assertThatThrownBy(() -> new BlobShuffleClientSupplier().getAdmin(Map.of()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("default.client.supplier");
    }

    @Test
    void storeThatCannotBeWrittenStopsTheStart() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        Properties settings = new Properties();
        settings.putAll(settings("blobshuffle.store", "file://" + file));
        settings.put("request.timeout.ms", 500);
        settings.put("default.api.timeout.ms", 1_000); // For want of brokers.
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input").to("output");

        assertThatThrownBy(() -> new KafkaStreams(builder.build(), settings, new BlobShuffleClientSupplier(settings)))
                .isInstanceOfAny(StoreUnavailableException.class, InvalidSettingsException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void helperSetsWhatTheProtocolNeedsAndKeepsTheUsersSupplier() {
        Properties settings = new Properties();
        settings.put("default.client.supplier", OwnSupplier.class);
        settings.put("group.protocol", "streams");

        BlobShuffleClientSupplier.addTo(BlobShuffleClientSupplier.addTo(settings));

        assertThat(settings)
                .containsEntry("default.client.supplier", BlobShuffleClientSupplier.class.getName())
                .containsEntry("blobshuffle.client.supplier", OwnSupplier.class.getName())
                .containsEntry("__internal.consumer.wrapper__", ApplicationSettings.WRAPPER_CLASS);
    }

    @Test
    void clientsOfTheUsersSupplierAreWrapped() {
        BlobShuffleClientSupplier supplier = new BlobShuffleClientSupplier();
        supplier.configure(settings("blobshuffle.client.supplier", OwnSupplier.class.getName()));

        assertThatThrownBy(() -> supplier.getAdmin(new HashMap<>(settings())))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("own admin");
    }

    private Map<String, Object> settings(String name, Object value) {
        Map<String, Object> settings = settings();
        settings.put(name, value);
        return settings;
    }

    @BeforeEach
    void makeStore() throws IOException {
        Path store = Files.createDirectory(directory.resolve("blobs"));
        Files.writeString(store.resolve(StoreMarker.NAME), StoreMarker.content("0000000000000007"));
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("application.id", "app");
        settings.put("bootstrap.servers", "127.0.0.1:1");
        settings.put("blobshuffle.store", "file://" + directory.resolve("blobs"));
        return settings;
    }

    /** A user's own supplier. */
    public static final class OwnSupplier implements KafkaClientSupplier {
        @Override
        public Admin getAdmin(Map<String, Object> config) {
            assertThat(config).doesNotContainKey("blobshuffle.store");
            throw new UnsupportedOperationException("own admin");
        }

        @Override
        public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
            throw new UnsupportedOperationException();
        }
    }
}
