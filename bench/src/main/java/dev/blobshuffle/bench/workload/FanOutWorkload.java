package dev.blobshuffle.bench.workload;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.WindowStore;

/**
 * One new key and two independent aggregations by it, so that Kafka Streams makes two repartition
 * topics with the same records, or one with {@code topology.optimization=all}. None of Theodolite's
 * use cases has anything to optimize.
 */
final class FanOutWorkload implements BenchWorkload {
    private static final List<String> STORES = List.of("statistics-minute", "statistics-hour");
    private static final List<Duration> WINDOWS = List.of(Duration.ofMinutes(1), Duration.ofHours(1));
    private static final String OPTIMIZATION = "topology.optimization";

    @Override
    public String name() {
        return "fanout";
    }

    @Override
    public String meaning() {
        return "One new key and two aggregations by it: two shuffles, or one with topology.optimization=all.";
    }

    @Override
    public Source source(Parameters parameters, Timeline timeline) {
        return new Sensors(parameters.count(Parameter.KEYS), timeline);
    }

    @Override
    public Expectation expectation(Parameters parameters) {
        String optimization = parameters.settings().getOrDefault(OPTIMIZATION, "none");
        return new WindowExpectation(STORES, message -> 1, optimization.equals("none") ? 2 : 1);
    }

    @Override
    public void define(StreamsBuilder builder, Parameters parameters, Topics topics, Probes probes) {
        KStream<String, Measurement> rekeyed = builder.stream(
                        topics.input(), Consumed.with(Serdes.String(), Measurement.SERDE))
                .selectKey((sensor, measurement) -> measurement.identifier());
        for (int i = 0; i < STORES.size(); i++) {
            rekeyed.groupByKey(Grouped.with(Serdes.String(), probes.counting()))
                    .windowedBy(TimeWindows.ofSizeWithNoGrace(WINDOWS.get(i)))
                    .aggregate(
                            () -> Stats.NONE,
                            (sensor, measurement, stats) -> stats.plus(measurement.valueInWatts()),
                            Materialized.<String, Stats, WindowStore<Bytes, byte[]>>as(STORES.get(i))
                                    .withKeySerde(Serdes.String())
                                    .withValueSerde(Stats.SERDE));
        }
    }

    @Override
    public List<String> topics(Parameters parameters) {
        return List.of();
    }
}
