package dev.blobshuffle.bench.workload;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/**
 * Theodolite's UC4: measurements are summed up per group of sensors and 5 seconds, and the sums of
 * groups per group of groups, by way of a topic that feeds them back. Three shuffles: parents by
 * child, measurements by (child, parent), and the table of those by (parent, window). The table of
 * inputs has no cache, unlike Theodolite's. A cache would hold back a window's last value if the
 * next window's value arrived within the same commit, so the number of complete windows would
 * depend on timing. The run counts input records, because the number of partial sums that are fed
 * back depends on timing.
 */
final class HierarchyWorkload implements BenchWorkload {
    private static final Duration WINDOW = Duration.ofSeconds(5);
    private static final String CONFIGURATION = "configuration";
    private static final String FEEDBACK = "aggregation-feedback";
    static final String OUTPUT = "output";
    static final String SUMS_STORE = "sums";
    private static final String CHANGED = "SENSOR_REGISTRY_CHANGED";
    private static final String CHILDREN_STORE = "children";
    private static final String PARENTS_STORE = "last-parents";

    @Override
    public String name() {
        return "uc4";
    }

    @Override
    public String meaning() {
        return "Theodolite's hierarchical aggregation: sums of groups of groups of sensors per 5 seconds.";
    }

    @Override
    public Source source(Parameters parameters, Timeline timeline) {
        if (!parameters.hasRate()) {
            throw new IllegalArgumentException(
                    "Cannot run uc4 as fast as possible: its windows close by time. Give a rate, for example --with rate=64.");
        }
        return new Sensors(SensorRegistry.sensors(parameters.count(Parameter.GROUPS)), timeline);
    }

    @Override
    public Expectation expectation(Parameters parameters) {
        return new HierarchyExpectation(parameters.count(Parameter.GROUPS), WINDOW.toMillis());
    }

    @Override
    public List<String> topics(Parameters parameters) {
        return List.of(CONFIGURATION, FEEDBACK, OUTPUT);
    }

    @Override
    public Map<String, List<Message>> prepared(Parameters parameters) {
        String registry = SensorRegistry.json(parameters.count(Parameter.GROUPS));
        return Map.of(
                CONFIGURATION,
                List.of(new Message(
                        CHANGED.getBytes(StandardCharsets.UTF_8),
                        registry.getBytes(StandardCharsets.UTF_8),
                        System.currentTimeMillis())));
    }

    @Override
    public void define(StreamsBuilder builder, Parameters parameters, Topics topics, Probes probes) {
        Serde<String> text = Serdes.String();
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(CHILDREN_STORE), text, text));
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(PARENTS_STORE), text, text));
        KTable<String, String> parents = builder.stream(topics.own(CONFIGURATION), Consumed.with(text, text))
                .filter((event, registry) -> event.equals(CHANGED))
                .process(() -> new ChildParents(CHILDREN_STORE), CHILDREN_STORE)
                .groupByKey(Grouped.with("parents", text, text))
                .aggregate(
                        () -> "",
                        (child, newest, old) -> newest.isEmpty() ? null : newest,
                        Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("parent-table")
                                .withKeySerde(text)
                                .withValueSerde(text));
        KStream<String, Measurement> fedBack =
                builder.stream(topics.own(FEEDBACK), Consumed.with(text, Measurement.SERDE));
        KTable<String, Measurement> input = builder.stream(topics.input(), Consumed.with(text, probes.counting()))
                .merge(fedBack)
                .groupByKey(Grouped.with(text, Measurement.SERDE))
                .reduce(
                        (old, newest) -> newest,
                        Materialized.<String, Measurement, KeyValueStore<Bytes, byte[]>>as("input-table")
                                .withKeySerde(text)
                                .withValueSerde(Measurement.SERDE)
                                .withCachingDisabled());
        aggregate(input, parents, topics);
    }

    private static void aggregate(KTable<String, Measurement> input, KTable<String, String> parents, Topics topics) {
        Serde<String> text = Serdes.String();
        TimeWindows windows = TimeWindows.ofSizeAndGrace(WINDOW, WINDOW);
        KTable<Windowed<String>, Measurement> latest = input.join(parents, ChildMeasurement::new)
                .toStream()
                .process(() -> new ParentKeys(PARENTS_STORE), PARENTS_STORE)
                .groupByKey(Grouped.with("children", text, Measurement.SERDE))
                .windowedBy(windows)
                .reduce(
                        (old, newest) -> newest.timestamp() >= old.timestamp() ? newest : old,
                        Materialized.<String, Measurement, WindowStore<Bytes, byte[]>>as("latest")
                                .withKeySerde(text)
                                .withValueSerde(Measurement.SERDE));
        KTable<String, GroupSum> sums = latest.groupBy(
                        (child, measurement) -> KeyValue.pair(
                                ParentKeys.parent(child.key()) + "@"
                                        + child.window().start(),
                                measurement),
                        Grouped.with("sums", text, Measurement.SERDE))
                .aggregate(
                        () -> GroupSum.NONE,
                        (key, added, sum) -> sum.plus(key, added),
                        (key, removed, sum) -> sum.minus(removed),
                        Materialized.<String, GroupSum, KeyValueStore<Bytes, byte[]>>as(SUMS_STORE)
                                .withKeySerde(text)
                                .withValueSerde(GroupSum.SERDE));
        sums.toStream()
                .filter((key, sum) -> sum != null && sum.count() > 0)
                .map((key, sum) -> KeyValue.pair(sum.identifier(), sum.asMeasurement()))
                .to(topics.own(FEEDBACK), Produced.with(text, Measurement.SERDE));
        sums.suppress(Suppressed.untilTimeLimit(WINDOW, Suppressed.BufferConfig.unbounded()))
                .toStream()
                .filter((key, sum) -> sum != null && sum.count() > 0)
                .map((key, sum) -> KeyValue.pair(sum.identifier(), sum))
                .to(topics.own(OUTPUT), Produced.with(text, GroupSum.SERDE));
    }
}
