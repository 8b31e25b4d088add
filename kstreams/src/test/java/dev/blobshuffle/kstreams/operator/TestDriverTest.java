package dev.blobshuffle.kstreams.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The operators in TopologyTestDriver: without a broker, one record at a time, compared with a
 * native repartition.
 */
class TestDriverTest {
    @ParameterizedTest
    @ValueSource(strings = {StreamsConfig.AT_LEAST_ONCE, StreamsConfig.EXACTLY_ONCE_V2})
    void aggregatesComeOutRecordByRecord(String guarantee) {
        Topology topology = build(builder -> shuffle("by-user")
                .build()
                .repartition(byUser(builder, "events"))
                .groupByKey()
                .count(Materialized.as("counts"))
                .toStream()
                .to("counted", Produced.valueSerde(Serdes.Long())));

        try (InTestDriver driver = InTestDriver.of(
                topology, settings -> settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee))) {
            driver.pipe("events", "k", "u1;a", 10);
            driver.pipe("events", "k", "u2;b", 20);
            driver.pipe("events", "k", "u1;c", 30);

            assertThat(driver.read("counted", new LongDeserializer()))
                    .extracting(record -> record.key() + "=" + record.value() + "@" + record.timestamp())
                    .containsExactly("u1=1@10", "u2=1@20", "u1=2@30");
            assertThat(driver.driver().<String, Long>getKeyValueStore("counts").get("u1"))
                    .isEqualTo(2L);
        }
    }

    @Test
    void windowsWithSuppressAndJoinsAgreeWithNative() {
        List<String> natively = windowsAndJoins((name, stream) ->
                stream.repartition(Repartitioned.<String, String>as(name).withNumberOfPartitions(3)));
        List<String> throughBlobs = windowsAndJoins((name, stream) ->
                shuffle(name).maxTimeSpan(Duration.ZERO).build().repartition(stream));

        assertThat(natively).hasSizeGreaterThan(10);
        assertThat(throughBlobs).isEqualTo(natively);
    }

    private interface Shuffle {
        KStream<String, String> repartition(String name, KStream<String, String> stream);
    }

    private static List<String> windowsAndJoins(Shuffle shuffle) {
        Topology topology = build(builder -> {
            KStream<String, String> events = shuffle.repartition("events-by-user", byUser(builder, "events"));
            KStream<String, String> clicks = shuffle.repartition("clicks-by-user", byUser(builder, "clicks"));
            events.groupByKey(Grouped.with(Serdes.String(), Serdes.String()))
                    .windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMillis(100), Duration.ofMillis(20)))
                    .count()
                    .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()))
                    .toStream((window, count) -> window.key() + window.window().start())
                    .mapValues(String::valueOf)
                    .to("windows");
            events.join(
                            clicks,
                            (e, c) -> e + "+" + c,
                            JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(50), Duration.ofMillis(20)))
                    .to("joined");
            events.leftJoin(
                            clicks,
                            (e, c) -> e + "+" + c,
                            JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(50), Duration.ofMillis(20)))
                    .to("left");
            events.join(builder.<String, String>table("users"), (e, u) -> e + " of " + u)
                    .to("enriched");
        });
        List<String> results = new ArrayList<>();
        try (InTestDriver driver = InTestDriver.of(topology, TestDriverTest::textByDefault)) {
            driver.pipe("users", "u1", "Ann", 0);
            for (int i = 0; i < 40; i++) {
                String user = "u" + i % 3;
                driver.pipe("events", "k" + i, user + ";e" + i, 100 + 15L * i - (i % 7 == 0 ? 60 : 0));
                driver.pipe("clicks", "k" + i, user + ";c" + i, 100 + 15L * i + 3);
            }
            for (String output : List.of("windows", "joined", "left", "enriched")) {
                driver.read(output).forEach(record -> results.add(output + ": " + text(record)));
            }
        }
        return results;
    }

    @Test
    void keysValuesHeadersAndTimestampsComeOutAsTheyWere() {
        List<String> natively = seen(stream ->
                stream.repartition(Repartitioned.<String, String>as("moved").withNumberOfPartitions(3)));
        List<String> throughBlobs = seen(stream -> shuffle("moved").build().repartition(stream));
        List<String> inlined = seen(stream ->
                shuffle("moved").setting("inline.max.bytes", "1 KiB").build().repartition(stream));
        List<String> switchedOff = seen(stream -> shuffle("moved")
                .setting("blobshuffle.write.enabled", false)
                .build()
                .repartition(stream));

        // A null key is dropped natively too.
        assertThat(natively).hasSize(3);
        assertThat(throughBlobs).isEqualTo(natively);
        assertThat(inlined).isEqualTo(natively);
        assertThat(switchedOff).isEqualTo(natively);
    }

    private static List<String> seen(UnaryOperator<KStream<String, String>> shuffle) {
        List<String> contexts = new ArrayList<>();
        Topology topology = build(builder -> shuffle.apply(builder.stream("input"))
                .processValues(() -> new ContextualFixedKeyProcessor<String, String, String>() {
                    @Override
                    public void process(FixedKeyRecord<String, String> record) {
                        var metadata = context().recordMetadata().orElseThrow();
                        contexts.add(metadata.topic() + "-" + metadata.partition() + "@" + metadata.offset());
                        context().forward(record);
                    }
                })
                .to("output"));
        try (InTestDriver driver = InTestDriver.of(topology, TestDriverTest::textByDefault)) {
            driver.pipe(
                    "input",
                    "a",
                    "1",
                    5,
                    new RecordHeaders()
                            .add("h", "x".getBytes(StandardCharsets.UTF_8))
                            .add("empty", null));
            driver.pipe("input", "b", null, 3);
            driver.pipe("input", null, "no key", 4);
            driver.pipe("input", "a", "", 7);
            List<TestRecord<String, String>> out = driver.read("output");
            List<String> seen = new ArrayList<>();
            for (int i = 0; i < out.size(); i++) {
                seen.add(text(out.get(i)) + out.get(i).headers() + " " + contexts.get(i));
            }
            return seen;
        }
    }

    /** A native repartition of the same name may have left records in the topic. */
    @Test
    void recordsOfANativeRepartitionAreRead() {
        Topology topology = build(builder ->
                shuffle("moved").build().repartition(builder.stream("input")).to("output"));
        try (InTestDriver driver = InTestDriver.of(topology, TestDriverTest::textByDefault)) {
            driver.pipe("tested-moved-repartition", "k", "native", 1);
            driver.pipe("input", "k", "through a blob", 2);

            assertThat(driver.read("output"))
                    .extracting(TestDriverTest::text)
                    .containsExactly("k=native@1", "k=through a blob@2");
        }
    }

    @Test
    void leftJoinKeepsRecordsWithoutKeyAsNatively() {
        List<String> natively = leftJoined(stream ->
                stream.repartition(Repartitioned.<String, String>as("left").withNumberOfPartitions(2)));
        List<String> throughBlobs = leftJoined(
                stream -> shuffle("left").maxTimeSpan(Duration.ZERO).build().repartition(stream));

        assertThat(throughBlobs).isEqualTo(natively);
    }

    private static List<String> leftJoined(UnaryOperator<KStream<String, String>> shuffle) {
        Topology topology = build(builder -> shuffle.apply(builder.stream("input"))
                .leftJoin(builder.<String, String>table("users"), (value, user) -> value + "/" + user)
                .to("output"));
        try (InTestDriver driver = InTestDriver.of(topology, TestDriverTest::textByDefault)) {
            driver.pipe("users", "a", "Ann", 0);
            driver.pipe("input", "a", "1", 1);
            driver.pipe("input", null, "2", 2);
            return driver.read("output").stream().map(TestDriverTest::text).toList();
        }
    }

    @Test
    void partitionerOfTheApplicationMulticastsAndDrops() {
        Topology topology = build(builder -> shuffle("moved")
                .partitioner((topic, key, value, partitions) -> switch (value) {
                    case "all" -> Optional.of(Set.of(0, 1, 2));
                    case "none" -> Optional.of(Set.of());
                    default -> Optional.empty();
                })
                .build()
                .repartition(builder.stream("input"))
                .to("output"));
        try (InTestDriver driver = InTestDriver.of(topology, TestDriverTest::textByDefault)) {
            driver.pipe("input", "a", "all", 0);
            driver.pipe("input", "a", "none", 0);
            driver.pipe("input", "a", "one", 0);

            assertThat(driver.read("output")).extracting(TestRecord::value).containsExactly("all", "all", "all", "one");
        }
    }

    @Test
    void severalSourceTopicsWithoutTimeSpanAreRefused() {
        Topology topology = build(builder -> shuffle("by-user")
                .build()
                .repartition(byUser(builder, "events"))
                .join(builder.<String, String>table("users"), (e, u) -> e + u)
                .to("enriched"));

        assertThatThrownBy(() -> InTestDriver.of(topology, TestDriverTest::textByDefault))
                .hasStackTraceContaining(
                        "InvalidSettingsException: Cannot shuffle by-user: its records meet those of other topics")
                .hasStackTraceContaining("maxTimeSpan");
    }

    @Test
    void clientSupplierForTheSameTopicIsRefused() {
        Topology topology = build(builder ->
                shuffle("by-user").build().repartition(builder.stream("events")).to("out"));

        assertThatThrownBy(() -> InTestDriver.of(topology, settings -> {
                    textByDefault(settings);
                    settings.put(
                            StreamsConfig.DEFAULT_CLIENT_SUPPLIER_CONFIG, BlobShuffleClientSupplier.class.getName());
                }))
                .hasStackTraceContaining("blobshuffle.topics.exclude=tested-by-user-repartition");
        InTestDriver.of(topology, settings -> {
                    textByDefault(settings);
                    settings.put(
                            StreamsConfig.DEFAULT_CLIENT_SUPPLIER_CONFIG, BlobShuffleClientSupplier.class.getName());
                    settings.put("blobshuffle.topics.exclude", "tested-by-user-repartition");
                })
                .close();
    }

    @Test
    void storeOfTheApplicationsSettingsIsTheDefault() {
        Topology topology = build(builder -> BlobShuffle.<String, String>builder("moved", 2)
                .build()
                .repartition(builder.stream("input"))
                .to("output"));

        assertThatThrownBy(() -> InTestDriver.of(topology, TestDriverTest::textByDefault))
                .hasStackTraceContaining("setting blobshuffle.store is missing");
        InTestDriver driver = InTestDriver.of(topology, settings -> {
            textByDefault(settings);
            settings.put("blobshuffle.store", "memory://of-the-application");
        });
        assertThat(driver.stringsThrough("input", "v", "output")).isEqualTo("v");
    }

    /** A handler that continues would skip a whole segment, so the commit must not happen. */
    @Test
    void notificationOfAnotherStoreStopsTheTaskWhateverTheHandler() {
        Topology topology = build(builder ->
                shuffle("moved").build().repartition(builder.stream("input")).to("output"));
        byte[] notification =
                NotificationCodec.encode(new Notification(new BlobId(1, 2, 3), 4711, 0, 100, 0, 100, 5, Codec.NONE, 0));
        try (InTestDriver driver = InTestDriver.of(topology, settings -> {
            textByDefault(settings);
            settings.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
        })) {
            var topic = driver.driver()
                    .createInputTopic("tested-moved-repartition", new StringSerializer(), new ByteArraySerializer());
            assertThatThrownBy(() -> topic.pipeInput(
                            new TestRecord<>("k", notification, new RecordHeaders().add("__bs", new byte[] {1}), 0L)))
                    .isInstanceOf(StreamsException.class)
                    .hasStackTraceContaining("it was written to a store with fingerprint 00001267");
        } catch (StreamsException e) {
            assertThat(e).as("the close commits, and fails for the same reason").hasStackTraceContaining("00001267");
        }
    }

    @Test
    void wrongValuesAreRefusedWhereTheyAreGiven() {
        assertThatThrownBy(() -> BlobShuffle.builder(" ", 1).build())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("unique in the topology");
        assertThatThrownBy(() -> BlobShuffle.builder("x", 0).build())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("number of partitions 0");
        assertThatThrownBy(() -> shuffle("x").maxTimeSpan(Duration.ofMillis(-1)).build())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("maxTimeSpan is -1 ms");
        assertThatThrownBy(() -> shuffle("x").batchSize(new ByteSize(1)).build())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.batch.max.bytes");
    }

    /** The paper's form: every value corresponds to a setting. */
    @Test
    void constructorOfThePaperMeansTheSameSettings() {
        BlobShuffle<String, String> blobShuffle = new BlobShuffle<>(
                "moved",
                3,
                new StoreConfig("memory://paper"),
                LocalCacheConfig.off(),
                DistributedCacheConfig.off(),
                new Zone("eu-1a"),
                Serdes.String(),
                Serdes.String(),
                ByteSize.ofMebibytes(32),
                Duration.ofMillis(250));
        Topology topology = build(builder -> builder.stream("input", Consumed.with(Serdes.String(), Serdes.String()))
                .process(blobShuffle.batcherSupplier())
                .repartition(blobShuffle.repartitioned())
                .processValues(blobShuffle.debatcherSupplier())
                .groupByKey(Grouped.with(Serdes.String(), Serdes.String()))
                .reduce((before, now) -> before + now)
                .toStream()
                .to("output"));

        assertThat(InTestDriver.of(topology, settings -> {}).stringsThrough("input", "v", "output"))
                .isEqualTo("v");
        assertThat(blobShuffle.definition().settings())
                .containsEntry("blobshuffle.store", "memory://paper")
                .containsEntry("blobshuffle.zone", "eu-1a")
                .containsEntry("blobshuffle.batch.max.bytes", ByteSize.ofMebibytes(32))
                .containsEntry("blobshuffle.batch.max.delay.ms", Duration.ofMillis(250))
                .containsEntry("blobshuffle.write.buffer.bytes", ByteSize.ofMebibytes(128))
                .containsEntry("blobshuffle.cache.memory.bytes", new ByteSize(0))
                .containsEntry("blobshuffle.cache.zone.enabled", false);
    }

    @Test
    void cachesMeanTheirSettings() {
        LocalCacheConfig local =
                new LocalCacheConfig(ByteSize.ofMebibytes(64), List.of(Path.of("/a"), Path.of("/b")), new ByteSize(9));

        assertThat(KafkaSettings.parse(local.settings()).value(CacheSettings.DISK_DIRS))
                .containsExactly("/a", "/b");
        assertThat(DistributedCacheConfig.perZone("0.0.0.0:0", Path.of("/secret"))
                        .settings())
                .containsEntry("blobshuffle.cache.zone.enabled", true)
                .containsEntry("blobshuffle.peer.listen", "0.0.0.0:0")
                .containsEntry("blobshuffle.peer.secret.file", "/secret");
        assertThat(BlobShuffle.<String, String>builder("caches", 3)
                        .localCache(LocalCacheConfig.inMemory(ByteSize.ofMebibytes(8)))
                        .distributedCache(DistributedCacheConfig.perZone("0.0.0.0:0", Path.of("/secret"))
                                .withMemory(ByteSize.ofMebibytes(64))
                                .withAdvertised("host-1:7000")
                                .withCacheOnWrite(DistributedCacheConfig.CacheOnWrite.OFF))
                        .definition()
                        .settings())
                .containsEntry("blobshuffle.cache.memory.bytes", ByteSize.ofMebibytes(72))
                .containsEntry("blobshuffle.peer.advertised", "host-1:7000")
                .containsEntry("blobshuffle.cache.on.write", false);
        assertThatThrownBy(() -> new LocalCacheConfig(new ByteSize(0), List.of(), new ByteSize(1)))
                .hasMessageContaining("Give both, or neither");
    }

    private static String text(TestRecord<String, String> record) {
        return record.key() + "=" + record.value() + "@" + record.timestamp();
    }

    private static void textByDefault(Map<String, Object> settings) {
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    }

    private static Topology build(Consumer<StreamsBuilder> content) {
        StreamsBuilder builder = new StreamsBuilder();
        content.accept(builder);
        return builder.build();
    }

    private static KStream<String, String> byUser(StreamsBuilder builder, String topic) {
        return builder.stream(topic, Consumed.with(Serdes.String(), Serdes.String()))
                .selectKey((key, value) -> value.split(";")[0]);
    }

    private static BlobShuffleBuilder<String, String> shuffle(String name) {
        return BlobShuffle.<String, String>builder(name, 3)
                .serdes(Serdes.String(), Serdes.String())
                .store(new StoreConfig("memory://test-driver"))
                .maxBatchDuration(Duration.ofMillis(10));
    }
}
