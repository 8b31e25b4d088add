package dev.blobshuffle.kstreams.differential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same application has the same results natively and through blobs. Every run, with any
 * guarantee and protocol, is compared with one native run, because the results depend only on the
 * input.
 */
class DifferentialIT {
    private static final int EVENTS = Integer.getInteger("differential.events", 1_000);

    private static EmbeddedKafka kafka;
    private static DifferentialRun.Result expected;

    @TempDir
    private Path store;

    @BeforeAll
    static void runNatively() throws Exception {
        kafka = EmbeddedKafka.shared();
        List<String> names =
                new ArrayList<>(List.of("native-alo-classic", "native-eos", "blob-inline", "blob-optimized"));
        Protocols.withEachGuarantee().forEach(each -> names.add("blob-" + each.get()[0] + "-" + each.get()[1]));
        ofOperators().forEach(each -> names.add("operators-" + each.get()[0] + "-" + each.get()[1]));
        DifferentialRun.createTopics(kafka.bootstrapServers(), names.toArray(String[]::new));
        expected = run("native-alo-classic", settings("at_least_once", "classic"));
        assertThat(expected.left().values()).allMatch(rows -> !rows.rows().isEmpty());
        assertThat(expected.traffic().notifications()).isZero();
    }

    @Tag("nightly")
    @Test
    void nativeRunsAgree() throws Exception {
        String protocol = Protocols.all().get(Protocols.all().size() - 1);
        var actual = run("native-eos", settings("exactly_once_v2", protocol));

        assertThat(Comparison.differences(expected.left(), actual.left())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("dev.blobshuffle.kstreams.differential.Protocols#withEachGuarantee")
    void runsThroughBlobsAgreeWithNative(String guarantee, String protocol) throws Exception {
        var actual = run("blob-" + guarantee + "-" + protocol, throughBlobs(settings(guarantee, protocol), store));

        assertThat(Comparison.differences(expected.left(), actual.left())).isEmpty();
        assertThat(blobs(store)).isPositive();
        assertThat(actual.traffic().notifications()).isPositive();
        assertThat(actual.traffic().plain()).isZero();
    }

    /** The other half of {@code withEachGuarantee}, or all combinations. */
    static Stream<Arguments> ofOperators() {
        String last = Protocols.all().get(Protocols.all().size() - 1);
        return Boolean.getBoolean("differential.all")
                ? Protocols.withGuarantees()
                : Stream.of(Arguments.of("exactly_once_v2", last));
    }

    /** The tables' own shuffles stay native, because there is no operator for them. */
    @ParameterizedTest
    @MethodSource("ofOperators")
    void runsThroughOperatorsAgreeWithNative(String guarantee, String protocol) throws Exception {
        Map<String, Object> settings = settings(guarantee, protocol);
        addStore(settings, store);

        var actual = new DifferentialRun(
                        kafka.bootstrapServers(),
                        "operators-" + guarantee + "-" + protocol,
                        settings,
                        EVENTS,
                        Shuffling.BY_OPERATORS)
                .run();

        assertThat(Comparison.differences(expected.left(), actual.left())).isEmpty();
        assertThat(blobs(store)).isPositive();
        assertThat(actual.traffic().notifications()).isPositive();
    }

    @Test
    void runThatInlinesSmallBatchesAgreesWithNative() throws Exception {
        Map<String, Object> settings = throughBlobs(settings("at_least_once", "classic"), store);
        settings.put("blobshuffle.inline.max.bytes", 2 << 10);

        var actual = run("blob-inline", settings);

        assertThat(Comparison.differences(expected.left(), actual.left())).isEmpty();
        assertThat(actual.traffic().plain()).isPositive();
        assertThat(actual.traffic().notifications()).isPositive();
    }

    @Tag("nightly")
    @Test
    void optimizedTopologyWithPurgeAgreesWithNative() throws Exception {
        Map<String, Object> settings = throughBlobs(settings("exactly_once_v2", "classic"), store);
        settings.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, StreamsConfig.OPTIMIZE);
        settings.put(StreamsConfig.REPARTITION_PURGE_INTERVAL_MS_CONFIG, 500);

        var actual = run("blob-optimized", settings);

        assertThat(Comparison.differences(expected.left(), actual.left())).isEmpty();
        assertThat(blobs(store)).isPositive();
    }

    private static DifferentialRun.Result run(String name, Map<String, Object> settings) throws Exception {
        return new DifferentialRun(kafka.bootstrapServers(), name, settings, EVENTS, Shuffling.BY_KAFKA_STREAMS).run();
    }

    private static Map<String, Object> settings(String guarantee, String protocol) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
        settings.put("group.protocol", protocol);
        return settings;
    }

    private static Map<String, Object> throughBlobs(Map<String, Object> settings, Path store) {
        Properties properties = new Properties();
        properties.putAll(settings);
        BlobShuffleClientSupplier.addTo(properties);
        Map<String, Object> shuffled = new HashMap<>();
        properties.forEach((name, value) -> shuffled.put((String) name, value));
        addStore(shuffled, store);
        return shuffled;
    }

    private static void addStore(Map<String, Object> settings, Path store) {
        settings.put("blobshuffle.store", "file://" + store + "?fsync=none");
        settings.put("blobshuffle.batch.max.bytes", "64 KiB");
        settings.put("blobshuffle.batch.max.delay.ms", 50);
        settings.put("blobshuffle.inline.max.bytes", 0);
    }

    private static long blobs(Path store) {
        return LiveFiles.below(store).size();
    }
}
