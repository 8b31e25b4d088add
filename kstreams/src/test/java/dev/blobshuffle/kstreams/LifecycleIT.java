package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.internal.metrics.MetricsEndpoint;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.Traffic;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An operator's work on a running application, under load and exactly-once: nothing is lost,
 * duplicated or out of order.
 */
class LifecycleIT {
    private static EmbeddedKafka kafka;

    @TempDir
    private Path directory;

    private Admin admin;

    @BeforeAll
    static void startKafka() throws Exception {
        kafka = EmbeddedKafka.shared();
        kafka.createTopic("compacted-table", 1, Map.of("cleanup.policy", "compact"));
        kafka.createTopic("reused-table", 1);
        Probe.createTopics(
                kafka.bootstrapServers(),
                "rolling",
                "outage-classic",
                "outage-streams",
                "partitions-native",
                "partitions-blobs",
                "metrics");
    }

    @BeforeEach
    void openAdmin() {
        admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }

    @AfterEach
    void closeAdmin() {
        admin.close();
    }

    @Test
    void rollingInAndOutUnderLoadIsExact() throws Exception {
        try (Probe probe = Probe.start(kafka.bootstrapServers(), "rolling");
                Instances instances = new Instances()) {
            Drain drain = new Drain(admin, kafka.bootstrapServers(), probe.applicationId(), List.of(probe.input()));
            KafkaStreams[] members = {
                instance(instances, probe, 0, onOneThread(natively())),
                instance(instances, probe, 1, onOneThread(natively()))
            };

            roll(instances, probe, members, throughBlobs("classic", Map.of("blobshuffle.write.enabled", false)));
            assertThat(Traffic.of(admin, new Log(kafka.bootstrapServers()), probe.applicationId())
                            .notifications())
                    .isZero();
            roll(instances, probe, members, throughBlobs("classic", Map.of()));
            probe.awaitRecords(200);
            assertThat(errorOfOneMore(probe, natively()))
                    .as("what a native instance ends with beside instances that write")
                    .isInstanceOf(StreamsException.class)
                    .hasRootCauseInstanceOf(InconsistentGroupProtocolException.class);
            roll(instances, probe, members, throughBlobs("classic", Map.of("blobshuffle.write.enabled", false)));
            drain.awaitNoNotifications(instances);
            roll(instances, probe, members, natively());

            probe.awaitRecords(100);
            probe.stop();
            drain.await(instances);
            probe.assertExact();
            assertThat(Traffic.of(admin, new Log(kafka.bootstrapServers()), probe.applicationId())
                            .notifications())
                    .isPositive();
        }
    }

    /** Starts an instance that cannot run, and returns the failure. */
    private Throwable errorOfOneMore(Probe probe, Map<String, Object> settings) {
        AtomicReference<Throwable> error = new AtomicReference<>();
        try (KafkaStreams streams = probe.instance(with(settings, 7))) {
            streams.setUncaughtExceptionHandler(e -> {
                error.compareAndSet(null, e);
                return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            });
            streams.start();
            new Instances().await("the error", () -> error.get() != null);
        }
        return error.get();
    }

    private void roll(Instances instances, Probe probe, KafkaStreams[] members, Map<String, Object> settings)
            throws Exception {
        for (int i = 0; i < members.length; i++) {
            instances.stop(members[i]);
            probe.awaitRecords(50);
            members[i] = instance(instances, probe, i, onOneThread(settings));
            probe.awaitRecords(50);
        }
    }

    private static Map<String, Object> onOneThread(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
        return all;
    }

    @ParameterizedTest
    @MethodSource("dev.blobshuffle.kstreams.differential.Protocols#all")
    void storeOutageRollsBackAndEndsExact(String protocol) throws Exception {
        try (Probe probe = Probe.start(kafka.bootstrapServers(), "outage-" + protocol);
                Instances instances = new Instances()) {
            Map<String, Object> settings = throughBlobs(protocol, Map.of("blobshuffle.delivery.timeout.ms", 1_500));
            KafkaStreams streams = instance(instances, probe, 0, settings);
            probe.awaitRecords(200);
            instances.await("the turn to sweep", () -> metric("sweep-turn") == 1);

            StoreOutage outage = StoreOutage.begin(directory.resolve("blobs"));
            instances.await("uploads that fail", () -> metric("upload-failures") >= 3);
            outage.end();

            probe.awaitRecords(200);
            probe.stop();
            new Drain(admin, kafka.bootstrapServers(), probe.applicationId(), List.of(probe.input())).await(instances);
            instances.awaitThreads(streams, 2);
            probe.assertExact();
        }
    }

    @Test
    void changedPartitionCountIsTheSameErrorAsNatively() throws Exception {
        Throwable natively = errorOfChangedPartitionCount("partitions-native", natively());
        Throwable throughBlobs = errorOfChangedPartitionCount("partitions-blobs", throughBlobs("classic", Map.of()));

        assertThat(throughBlobs).hasSameClassAs(natively);
        assertThat(throughBlobs.getMessage().replace("partitions-blobs", "partitions-native"))
                .isEqualTo(natively.getMessage());
    }

    private Throwable errorOfChangedPartitionCount(String name, Map<String, Object> settings) throws Exception {
        AtomicReference<Throwable> error = new AtomicReference<>();
        try (Probe probe = Probe.start(kafka.bootstrapServers(), name)) {
            try (Instances instances = new Instances()) {
                KafkaStreams unused = instance(instances, probe, 0, settings);
                probe.awaitRecords(50);
            }
            String topic = probe.applicationId() + "-moved-repartition";
            admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(Probe.PARTITIONS + 1)))
                    .all()
                    .get();
            try (KafkaStreams streams = probe.instance(with(settings, 0))) {
                streams.setUncaughtExceptionHandler(e -> {
                    error.compareAndSet(null, e);
                    return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
                });
                streams.start();
                new Instances().await("the error", () -> error.get() != null);
            }
        }
        return error.get();
    }

    @Test
    void metricsShowTheLagAndEverythingEndsWithTheApplication() throws Exception {
        try (Probe probe = Probe.start(kafka.bootstrapServers(), "metrics");
                Instances instances = new Instances()) {
            Map<String, Object> shown = throughBlobs("classic", Map.of("blobshuffle.metrics.listen", "127.0.0.1:0"));
            KafkaStreams streams = instance(instances, probe, 0, shown);
            instances.await("records", () -> metric("records-delivered") > 100);
            assertThat(metric("lag-records")).isNotNegative();
            assertThat(forPrometheus())
                    .containsPattern("blobshuffle_records_delivered_total\\{application=\"" + probe.applicationId()
                            + "\",.*} [1-9]\\d\\d");
            probe.stop();
            new Drain(admin, kafka.bootstrapServers(), probe.applicationId(), List.of(probe.input())).await(instances);
            assertThat(metric("lag-records")).isZero();

            instances.stop(streams);

            assertThat(beans()).isEmpty();
            instances.await(
                    "the end of our threads",
                    // A pool's threads end a moment after its close.
                    LifecycleIT::noThreadOfOursRuns);
        }
    }

    private static boolean noThreadOfOursRuns() {
        return Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("blobshuffle-"));
    }

    @Test
    void patternThatAsksForACompactedTopicStopsTheStart() throws Exception {
        Map<String, Object> settings = throughBlobs("classic", Map.of("blobshuffle.topics.include", "compacted-.*"));
        Properties properties = new Properties();
        properties.putAll(settings);
        properties.put("application.id", "compacted");
        properties.put("bootstrap.servers", kafka.bootstrapServers());
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("input").to("compacted-table");

        assertThatThrownBy(() -> new KafkaStreams(builder.build(), properties).close())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("compacted-table")
                .hasMessageContaining("blobshuffle.topics.exclude");
        assertThat(beans()).isEmpty();
    }

    /**
     * Its restore would end at a real offset, far below the virtual offsets, and so before the
     * first record.
     */
    @Test
    void tableWhoseSourceIsItsChangelogIsRefusedBeforeItIsRestored() throws Exception {
        Properties properties = new Properties();
        properties.putAll(with(throughBlobs("classic", Map.of("blobshuffle.topics.include", "reused-.*")), 0));
        properties.put("application.id", "reused");
        properties.put("bootstrap.servers", kafka.bootstrapServers());
        properties.put("topology.optimization", "all");
        StreamsBuilder builder = new StreamsBuilder();
        builder.table("reused-table", Consumed.with(Serdes.String(), Serdes.String()), Materialized.as("table"));
        AtomicReference<Throwable> error = new AtomicReference<>();
        try (KafkaStreams streams = new KafkaStreams(builder.build(properties), properties)) {
            streams.setUncaughtExceptionHandler(e -> {
                error.compareAndSet(null, e);
                return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            });
            streams.start();
            new Instances().await("the error", () -> error.get() != null);
        }

        assertThat(error.get())
                .hasRootCauseInstanceOf(InvalidSettingsException.class)
                .rootCause()
                .hasMessageContaining("reused-table")
                .hasMessageContaining("blobshuffle.topics.exclude")
                .hasMessageContaining("topology.optimization");
    }

    private KafkaStreams instance(Instances instances, Probe probe, int number, Map<String, Object> settings)
            throws Exception {
        return instances.add(probe.instance(with(settings, number)));
    }

    private Map<String, Object> with(Map<String, Object> settings, int number) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put(
                StreamsConfig.STATE_DIR_CONFIG,
                directory.resolve("state-" + number).toString());
        return all;
    }

    /**
     * With the classic protocol, a closed instance does not leave its group: its tasks move after
     * its session has ended.
     */
    private static Map<String, Object> natively() {
        return Map.of(
                StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG,
                1,
                "session.timeout.ms",
                2_000,
                "heartbeat.interval.ms",
                400);
    }

    private Map<String, Object> throughBlobs(String protocol, Map<String, Object> more) {
        Properties properties = new Properties();
        properties.put("group.protocol", protocol);
        if (protocol.equals("classic")) {
            properties.putAll(natively());
        }
        BlobShuffleClientSupplier.addTo(properties);
        properties.put("blobshuffle.store", "file://" + directory.resolve("blobs") + "?fsync=none");
        properties.putAll(more);
        Map<String, Object> settings = new HashMap<>();
        properties.forEach((name, value) -> settings.put((String) name, value));
        return settings;
    }

    /**
     * The metrics of the process. All users of an address share the endpoint, so this call gets its
     * port.
     */
    private static String forPrometheus() throws Exception {
        LabelledMetrics own = LabelledMetrics.alone(new ShuffleMetrics());
        try (MetricsEndpoint.Publication publication = MetricsEndpoint.publish("127.0.0.1:0", own)) {
            URI uri = URI.create("http://" + publication.address() + "/metrics");
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private static java.util.Set<ObjectName> beans() throws JMException {
        return ManagementFactory.getPlatformMBeanServer()
                .queryNames(new ObjectName("blobshuffle:type=blobshuffle-metrics,*"), null);
    }

    /** The sum over the instances of this process, as in JMX. */
    private static double metric(String name) {
        try {
            double sum = 0;
            for (ObjectName bean : beans()) {
                sum += (double) ManagementFactory.getPlatformMBeanServer().getAttribute(bean, name);
            }
            return sum;
        } catch (JMException e) {
            throw new AssertionError(e);
        }
    }
}
