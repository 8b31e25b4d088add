package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.kstreams.operator.BlobShuffle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An instance that cannot be opened, with the client supplier and with the operators, leaves no
 * thread running.
 */
class InstanceOpeningTest {
    @TempDir
    private Path directory;

    /** Threads of other tests. */
    private final Set<Thread> before = Thread.getAllStackTraces().keySet();

    @BeforeEach
    void makeStore() throws IOException {
        Path store = Files.createDirectory(directory.resolve("blobs"));
        Files.writeString(store.resolve(StoreMarker.NAME), StoreMarker.content("0000000000000007"));
    }

    private Map<String, Object> settings(String setting, String value) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("application.id", "app");
        settings.put("bootstrap.servers", "127.0.0.1:1");
        settings.put("blobshuffle.store", directory.resolve("blobs").toUri().toString());
        settings.put("blobshuffle.membership.topic", "members");
        settings.put(setting, value.startsWith("Broken") ? getClass().getName() + "$" + value : value);
        return settings;
    }

    @ParameterizedTest
    @CsvSource({"blobshuffle.peer.secret.file, /nowhere/secret", "blobshuffle.store, nowhere://blobs"})
    void supplierLeavesNothingOpen(String setting, String value) throws InterruptedException {
        Map<String, Object> settings = settings(setting, value);
        assertThatThrownBy(() -> {
                    Properties all = new Properties();
                    all.putAll(settings);
                    new BlobShuffleClientSupplier(all).getAdmin(settings).close();
                })
                .isInstanceOf(Exception.class);
        requireNoThread();
    }

    @ParameterizedTest
    @CsvSource({"blobshuffle.peer.secret.file, /nowhere/secret", "blobshuffle.store, nowhere://blobs"})
    void operatorsLeaveNothingOpen(String setting, String value) throws InterruptedException {
        Properties settings = new Properties();
        settings.putAll(settings(setting, value));
        assertThatThrownBy(() -> new TopologyTestDriver(topology(), settings).close())
                .isInstanceOf(Exception.class);
        requireNoThread();
    }

    /** Each case waits ten seconds for missing brokers. */
    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"blobshuffle.cache.zone.enabled, true", "metric.reporters, BrokenReporter"})
    void nothingIsLeftOpenAfterAWaitForBrokers(String setting, String value) throws InterruptedException {
        supplierLeavesNothingOpen(setting, value);
        operatorsLeaveNothingOpen(setting, value);
    }

    private static Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        BlobShuffle.<String, String>builder("moved", 3)
                .serdes(Serdes.String(), Serdes.String())
                .build()
                .repartition(builder.stream("input", Consumed.with(Serdes.String(), Serdes.String())))
                .to("output");
        return builder.build();
    }

    /** A pool's threads end a moment after its close. */
    private void requireNoThread() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("blobshuffle-") && !before.contains(thread)) {
                thread.join(Duration.ofMinutes(2).toMillis());
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
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
}
