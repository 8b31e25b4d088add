package dev.blobshuffle.cli.topology;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Reviews topologies that Kafka Streams itself builds and describes. */
class TopologyCommandTest {
    @TempDir
    private Path directory;

    private final StreamsBuilder builder = new StreamsBuilder();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int review(String text, String... more) throws IOException {
        Path file = Files.writeString(directory.resolve("topology.txt"), text);
        String[] arguments = new String[more.length + 1];
        arguments[0] = file.toString();
        System.arraycopy(more, 0, arguments, 1, more.length);
        return new CommandLine(new TopologyCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    private String reviewed(Topology topology) throws IOException {
        assertThat(review(topology.describe().toString())).as(err.toString()).isZero();
        return out.toString();
    }

    private KStream<String, String> orders() {
        return builder.stream("orders", Consumed.with(Serdes.String(), Serdes.String()));
    }

    private static Grouped<String, String> as(String name) {
        return Grouped.with(name, Serdes.String(), Serdes.String());
    }

    @Test
    void aTopologyWithoutShuffleIsDone() throws IOException {
        orders().groupByKey().count();
        assertThat(reviewed(builder.build())).contains("Nothing is shuffled");
    }

    @Test
    void twoShufflesOfTheSameKeysAreFoundAndTheOptimizerMakesThemOne() throws IOException {
        KStream<String, String> byUser = orders().selectKey((key, value) -> value);
        byUser.groupByKey(as("counts")).count();
        byUser.mapValues(value -> value + "!").groupByKey(as("last")).reduce((first, last) -> last);

        assertThat(reviewed(builder.build()))
                .contains("2 repartition topics. A record passes at most 1 of them")
                .contains(
                        "counts-repartition, last-repartition: each shuffles what KSTREAM-KEY-SELECT-0000000001 returns.")
                .contains("topology.optimization=all");
        out.getBuffer().setLength(0);
        Properties optimized = new Properties();
        optimized.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, StreamsConfig.OPTIMIZE);
        StreamsBuilder again = new StreamsBuilder();
        KStream<String, String> merged = again.stream("orders", Consumed.with(Serdes.String(), Serdes.String()))
                .selectKey((key, value) -> value);
        merged.groupByKey(as("counts")).count();
        merged.groupByKey(as("last")).reduce((first, last) -> last);
        assertThat(reviewed(again.build(optimized)))
                .contains("1 repartition topic.")
                .doesNotContain("each shuffles");
    }

    @Test
    void aShuffleWithoutANewKeyIsFound() throws IOException {
        orders().filter((key, value) -> !value.isEmpty())
                .repartition(Repartitioned.<String, String>as("wide").withNumberOfPartitions(12))
                .foreach((key, value) -> {});
        assertThat(reviewed(builder.build()))
                .contains("wide-repartition: nothing changes the key between orders and here.");
    }

    @Test
    void aShuffleAfterAShuffleOfTheSameKeyIsFoundAndCounted() throws IOException {
        orders().selectKey((key, value) -> value)
                .repartition(Repartitioned.as("first"))
                .mapValues(value -> value)
                .repartition(Repartitioned.as("second"))
                .foreach((key, value) -> {});
        assertThat(reviewed(builder.build()))
                .contains("2 repartition topics. A record passes at most 2 of them")
                .contains("second-repartition: nothing changes the key between first-repartition and here.")
                .contains("first-repartition: KSTREAM-MAPVALUES-0000000005 comes first behind it.")
                .doesNotContain("first-repartition: nothing");
    }

    @Test
    void aFunctionThatMayKeepTheKeyIsAQuestion() throws IOException {
        orders().map((key, value) -> KeyValue.pair(key, value.trim()))
                .groupByKey(as("mapped"))
                .count();
        orders2().process(() -> passing()).groupByKey(as("processed")).count();
        assertThat(reviewed(builder.build()))
                .contains("mapped-repartition: does KSTREAM-MAP-0000000001 change the key?")
                .containsPattern("processed-repartition: does KSTREAM-PROCESSOR-\\d+ change the key\\?");
    }

    private KStream<String, String> orders2() {
        return builder.stream("returns", Consumed.with(Serdes.String(), Serdes.String()));
    }

    private static Processor<String, String, String, String> passing() {
        return new ContextualProcessor<>() {
            @Override
            public void process(Record<String, String> record) {
                context().forward(record);
            }
        };
    }

    @Test
    void whatIsNeededIsNotQuestioned() throws IOException {
        KStream<String, String> byUser = orders().selectKey((key, value) -> value);
        byUser.join(
                        orders2()
                                .groupBy((key, value) -> value, as("returns"))
                                .reduce((first, last) -> last)
                                .toStream(),
                        (left, right) -> left + right,
                        JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofMinutes(1)))
                .foreach((key, value) -> {});
        assertThat(reviewed(builder.build()))
                .contains("2 repartition topics.", "The names show no shuffle that could go.")
                .doesNotContain("Look at");
    }

    /** The command must not interpret names that the application chose. */
    @Test
    void ownNamesAreNotTakenForWhatTheySay() throws IOException {
        orders().map((key, value) -> KeyValue.pair(value, value), Named.as("mapped"))
                .groupByKey(as("named"))
                .count();
        assertThat(reviewed(builder.build()))
                .contains("named-repartition  1         mapped")
                .doesNotContain("change the key?");
    }

    @Test
    void aTopologyOfTheProcessorApiIsRead() throws IOException {
        Topology topology = new Topology();
        topology.addSource("in", "orders", "more-orders");
        topology.addProcessor("key", () -> passing(), "in");
        topology.addSink("out", "own-repartition", "key");
        topology.addSource("back", "own-repartition");
        topology.addSink("anywhere", (key, value, context) -> "t", "back");
        assertThat(reviewed(topology)).contains("own-repartition  1         key");
    }

    @Test
    void jsonHasTheSame() throws IOException {
        KStream<String, String> byUser = orders().selectKey((key, value) -> value);
        byUser.groupByKey(as("a")).count();
        byUser.groupByKey(as("b")).count();
        assertThat(review("2026-11-26 INFO starting\n" + builder.build().describe(), "--json"))
                .isZero();
        JsonNode json = new ObjectMapper().readTree(out.toString());
        assertThat(json.at("/most_in_a_row").asInt()).isEqualTo(1);
        assertThat(json.at("/repartition_topics/1/topic").asText()).isEqualTo("b-repartition");
        assertThat(json.at("/repartition_topics/1/key_from/0").asText()).isEqualTo("KSTREAM-KEY-SELECT-0000000001");
        assertThat(json.get("findings")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "orders -> users",
                "Topologies:\n   Sub-topology: 0\n",
                "   Source: a (topics: [t])\n   Source: a (topics: [t])",
                "   Source: a (topics: [t])\n      --> b"
            })
    void whatIsNoTopologyIsRefusedWithTheRemedy(String text) throws IOException {
        assertThat(review(text)).isOne();
        assertThat(err.toString())
                .startsWith("Cannot read ")
                .contains(". Give ")
                .endsWith(".\n");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aFileThatCannotBeReadIsRefused() {
        StringWriter problem = new StringWriter();
        assertThat(new CommandLine(new TopologyCommand())
                        .setErr(new PrintWriter(problem))
                        .execute(directory.resolve("missing").toString()))
                .isOne();
        assertThat(problem.toString()).contains("NoSuchFile").contains("Give a text file");
    }

    /** The search ends at a topic that it has already visited. */
    @Test
    void aCircleOfTopicsEnds() throws IOException {
        Topology topology = new Topology();
        topology.addSource("in", "a-repartition");
        topology.addProcessor("key", () -> passing(), "in");
        topology.addSink("out", "a-repartition", "key");
        assertThat(reviewed(topology)).contains("1 repartition topic.");
    }
}
