package dev.blobshuffle.kstreams.differential;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * One application with every kind of shuffle in the DSL. Each result is a function of the input
 * alone, however the partitions interleave: grace periods are longer than the whole input, and
 * aggregates do not depend on the order between origins.
 */
public final class DifferentialTopology {
    /** The stores whose changelogs and contents are compared. */
    public static final List<String> STORES = List.of("counts", "digests", "deliveries", "sales", "latest", "chained");

    private static final Duration GRACE = Duration.ofMinutes(10);

    private final Topics topics;
    private final UnaryOperator<KStream<String, String>> tamper;
    private final Shuffling shuffling;

    /** The application over the topics of a run. */
    public DifferentialTopology(Topics topics, Shuffling shuffling) {
        this(topics, UnaryOperator.identity(), shuffling);
    }

    /**
     * The application with a planted fault before the shuffles of its events, to check that the
     * comparison detects it.
     */
    DifferentialTopology(Topics topics, UnaryOperator<KStream<String, String>> tamper, Shuffling shuffling) {
        this.topics = topics;
        this.tamper = tamper;
        this.shuffling = shuffling;
    }

    /** Builds it; the settings govern optimization. */
    public Topology build(Properties settings) {
        StreamsBuilder builder = new StreamsBuilder();
        Consumed<String, String> text = Consumed.with(Serdes.String(), Serdes.String());
        KStream<String, String> events = tamper.apply(builder.stream(topics.events(), text));
        KStream<String, String> byUser = byUser("events-by-user", events);
        aggregate(byUser);
        windows(byUser);
        joins(
                byUser,
                byUser("clicks-by-user", builder.stream(topics.clicks(), text)),
                builder.table(topics.users(), text));
        tables(builder.table(topics.orders(), text), builder.table(topics.products(), text));
        moves(events);
        return builder.build(settings);
    }

    private KStream<String, String> byUser(String name, KStream<String, String> stream) {
        return shuffling.beforeUse(
                name, stream.filter((key, value) -> value != null).selectKey((key, value) -> part(value, 0)));
    }

    private void aggregate(KStream<String, String> byUser) {
        byUser.groupByKey(Grouped.as("by-user-counts"))
                .count(Materialized.as("counts"))
                .toStream()
                .mapValues(String::valueOf)
                .to(topics.output(Output.COUNTS));
        byUser.groupByKey(Grouped.as("by-user-digests"))
                .aggregate(
                        () -> Digest.EMPTY,
                        (user, value, digest) -> Digest.plus(digest, part(value, 3), part(value, 2)),
                        store("digests"))
                .toStream()
                .to(topics.output(Output.DIGESTS));
    }

    private void windows(KStream<String, String> byUser) {
        byUser.groupByKey(Grouped.with("by-user-windows", Serdes.String(), Serdes.String()))
                .windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofSeconds(10), GRACE))
                .count(Materialized.as("windows"))
                .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()))
                .toStream(
                        (window, count) -> window.key() + "@" + window.window().start())
                .mapValues(String::valueOf)
                .to(topics.output(Output.WINDOWS));
        byUser.groupByKey(Grouped.as("by-user-sessions"))
                .windowedBy(SessionWindows.ofInactivityGapAndGrace(Duration.ofSeconds(1), GRACE))
                .count(Materialized.as("sessions"))
                .toStream((w, count) ->
                        w.key() + "@" + w.window().start() + "-" + w.window().end())
                .mapValues(count -> count == null ? null : count.toString())
                .to(topics.output(Output.SESSIONS));
    }

    private void joins(KStream<String, String> byUser, KStream<String, String> clicks, KTable<String, String> users) {
        byUser.join(
                        clicks,
                        (event, click) -> part(event, 2) + "+" + part(click, 2),
                        JoinWindows.ofTimeDifferenceAndGrace(Duration.ofSeconds(1), GRACE),
                        StreamJoined.with(Serdes.String(), Serdes.String(), Serdes.String()))
                .to(topics.output(Output.JOINED));
        byUser.join(users, (event, name) -> part(event, 2) + " of " + name).to(topics.output(Output.ENRICHED));
    }

    private void tables(KTable<String, String> orders, KTable<String, String> products) {
        orders.join(products, order -> part(order, 0), (order, product) -> order + ";" + product, store("deliveries"))
                .toStream()
                .to(topics.output(Output.DELIVERIES));
        orders.groupBy(
                        (order, value) -> new org.apache.kafka.streams.KeyValue<>(part(value, 0), part(value, 1)),
                        Grouped.with("by-product", Serdes.String(), Serdes.String()))
                .aggregate(
                        () -> "0",
                        (product, quantity, sum) -> String.valueOf(number(sum) + number(quantity)),
                        (product, quantity, sum) -> String.valueOf(number(sum) - number(quantity)),
                        store("sales"))
                .toStream()
                .to(topics.output(Output.SALES));
    }

    private void moves(KStream<String, String> events) {
        shuffling
                .beforeUse("by-t", events.selectKey((key, value) -> "t" + key))
                .toTable(store("latest"))
                .toStream()
                .to(topics.output(Output.LATEST));
        KStream<String, String> moved = shuffling.repartition("moved", events.process(HeaderStamp::new));
        moved.to(topics.output(Output.MOVED), Produced.with(Serdes.String(), Serdes.String()));
        shuffling
                .beforeUse(
                        "moved-by-user",
                        moved.filter((key, value) -> value != null)
                                .map((key, value) -> new org.apache.kafka.streams.KeyValue<>(
                                        part(value, 0), key + ";" + part(value, 2))))
                .groupByKey(Grouped.with("chained", Serdes.String(), Serdes.String()))
                .aggregate(
                        () -> Digest.EMPTY,
                        (user, value, digest) -> Digest.plus(digest, part(value, 0), part(value, 1)),
                        store("chained"))
                .toStream()
                .to(topics.output(Output.CHAINED));
    }

    private static Materialized<String, String, KeyValueStore<Bytes, byte[]>> store(String name) {
        return Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as(name)
                .withKeySerde(Serdes.String())
                .withValueSerde(Serdes.String());
    }

    private static String part(String value, int index) {
        return value.split(";")[index];
    }

    private static long number(String text) {
        return Long.parseLong(text);
    }
}
