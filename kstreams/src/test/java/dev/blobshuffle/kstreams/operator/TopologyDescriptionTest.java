package dev.blobshuffle.kstreams.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The description of a topology with the operators: no repartition but theirs, and the names of a
 * native one.
 */
class TopologyDescriptionTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @ParameterizedTest
    @ValueSource(strings = {StreamsConfig.NO_OPTIMIZATION, StreamsConfig.OPTIMIZE})
    void aggregationsAndWindowsNeedNoSecondRepartition(String optimization) {
        Topology topology = build(optimization, builder -> {
            KStream<String, String> shuffled = shuffle("by-user").repartition(byUser(builder, "events"));
            shuffled.groupByKey().count();
            shuffled.groupByKey()
                    .windowedBy(TimeWindows.ofSizeWithNoGrace(SECOND))
                    .count()
                    .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()))
                    .toStream();
        });

        assertThat(repartitions(topology)).isEqualTo(1);
        assertThat(topology.describe().subtopologies()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {StreamsConfig.NO_OPTIMIZATION, StreamsConfig.OPTIMIZE})
    void joinsNeedNoSecondRepartition(String optimization) {
        Topology topology = build(optimization, builder -> {
            KStream<String, String> events = shuffle("events-by-user").repartition(byUser(builder, "events"));
            KStream<String, String> clicks = shuffle("clicks-by-user").repartition(byUser(builder, "clicks"));
            events.join(clicks, (e, c) -> e + c, JoinWindows.ofTimeDifferenceWithNoGrace(SECOND))
                    .to("joined");
            events.join(builder.<String, String>table("users"), (e, u) -> e + u).to("enriched");
            events.leftJoin(
                            shuffle("to-table")
                                    .repartition(byUser(builder, "names"))
                                    .toTable(),
                            (e, u) -> e + u)
                    .to("named");
        });

        assertThat(repartitions(topology)).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {StreamsConfig.NO_OPTIMIZATION, StreamsConfig.OPTIMIZE})
    void formOfThePaperNeedsNoSecondRepartition(String optimization) {
        Topology topology = build(optimization, builder -> {
            BlobShuffle<String, String> blobShuffle = shuffle("by-user");
            byUser(builder, "events")
                    .process(blobShuffle.batcherSupplier())
                    .repartition(blobShuffle.repartitioned())
                    .processValues(blobShuffle.debatcherSupplier())
                    .groupByKey(Grouped.with(Serdes.String(), Serdes.String()))
                    .count();
        });

        assertThat(repartitions(topology)).isEqualTo(1);
    }

    /** State is found again after a repartition becomes a shuffle through blobs. */
    @ParameterizedTest
    @ValueSource(strings = {StreamsConfig.NO_OPTIMIZATION, StreamsConfig.OPTIMIZE})
    void namesThatKafkaStreamsMakesAreThoseOfANativeRepartition(String optimization) {
        Topology natively = build(
                optimization,
                builder -> followed(byUser(builder, "events")
                        .repartition(Repartitioned.<String, String>as("by-user").withNumberOfPartitions(4))));
        Topology throughBlobs =
                build(optimization, builder -> followed(shuffle("by-user").repartition(byUser(builder, "events"))));

        assertThat(generatedNames(throughBlobs)).isEqualTo(generatedNames(natively));
    }

    @ParameterizedTest
    @ValueSource(strings = {StreamsConfig.NO_OPTIMIZATION, StreamsConfig.OPTIMIZE})
    void serdesOfTheShuffleGoOn(String optimization) {
        // The application's default serdes are for bytes; the next operators must not use them.
        Topology topology = build(
                optimization,
                builder -> shuffle("by-user")
                        .repartition(byUser(builder, "events"))
                        .groupByKey()
                        .reduce((before, now) -> now)
                        .toStream()
                        .to("last"));

        assertThat(InTestDriver.of(topology, builder -> {}).stringsThrough("events", "u1;x", "last"))
                .isEqualTo("u1;x");
    }

    private static void followed(KStream<String, String> stream) {
        stream.groupByKey(Grouped.with(Serdes.String(), Serdes.String()))
                .count()
                .toStream()
                .to("counts");
        stream.join(
                        stream.mapValues(value -> value + "!"),
                        (a, b) -> a + b,
                        JoinWindows.ofTimeDifferenceWithNoGrace(SECOND),
                        StreamJoined.with(Serdes.String(), Serdes.String(), Serdes.String()))
                .to("joined");
    }

    private static Topology build(String optimization, Consumer<StreamsBuilder> content) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, optimization);
        StreamsBuilder builder = new StreamsBuilder();
        content.accept(builder);
        return builder.build(settings);
    }

    private static KStream<String, String> byUser(StreamsBuilder builder, String topic) {
        return builder.stream(topic, Consumed.with(Serdes.String(), Serdes.String()))
                .selectKey((key, value) -> value.split(";")[0]);
    }

    private static BlobShuffle<String, String> shuffle(String name) {
        return BlobShuffle.<String, String>builder(name, 4)
                .serdes(Serdes.String(), Serdes.String())
                .store(new StoreConfig("memory://description"))
                .maxTimeSpan(SECOND)
                .build();
    }

    private static long repartitions(Topology topology) {
        return Pattern.compile("Sink: .*-repartition\\)")
                .matcher(topology.describe().toString())
                .results()
                .count();
    }

    private static String generatedNames(Topology topology) {
        return Pattern.compile("(KSTREAM|KTABLE)-[A-Z-]*[0-9]{10}[a-z-]*|[a-z-]+-repartition")
                .matcher(topology.describe().toString())
                .results()
                .map(match -> match.group())
                .sorted()
                .distinct()
                .toList()
                .toString();
    }
}
