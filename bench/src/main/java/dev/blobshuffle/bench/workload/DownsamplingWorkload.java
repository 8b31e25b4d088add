package dev.blobshuffle.bench.workload;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.WindowStore;

/**
 * Theodolite's UC2: statistics per sensor and minute. The input has its keys already, so the
 * original shuffles nothing. This workload sets the same key again, so that every record is
 * shuffled.
 */
final class DownsamplingWorkload implements BenchWorkload {
    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final String STORE = "statistics";
    private static final String OUTPUT = "output";

    private final String name;
    private final boolean isRekeyed;

    DownsamplingWorkload(String name, boolean isRekeyed) {
        this.name = name;
        this.isRekeyed = isRekeyed;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String meaning() {
        return "Theodolite's downsampling: statistics per sensor and minute; "
                + (isRekeyed ? "with a new key, so that it shuffles." : "no shuffle.");
    }

    @Override
    public Source source(Parameters parameters, Timeline timeline) {
        return new Sensors(parameters.count(Parameter.KEYS), timeline);
    }

    @Override
    public Expectation expectation(Parameters parameters) {
        return new WindowExpectation(List.of(STORE), message -> 1, 1);
    }

    @Override
    public void define(StreamsBuilder builder, Parameters parameters, Topics topics, Probes probes) {
        Serde<Measurement> first = isRekeyed ? Measurement.SERDE : probes.counting();
        KStream<String, Measurement> input = builder.stream(topics.input(), Consumed.with(Serdes.String(), first));
        (isRekeyed ? input.selectKey((sensor, measurement) -> measurement.identifier()) : input)
                .groupByKey(Grouped.with(Serdes.String(), isRekeyed ? probes.counting() : Measurement.SERDE))
                .windowedBy(TimeWindows.ofSizeWithNoGrace(WINDOW))
                .aggregate(
                        () -> Stats.NONE,
                        (sensor, measurement, stats) -> stats.plus(measurement.valueInWatts()),
                        Materialized.<String, Stats, WindowStore<Bytes, byte[]>>as(STORE)
                                .withKeySerde(Serdes.String())
                                .withValueSerde(Stats.SERDE))
                .toStream()
                .map((window, stats) -> KeyValue.pair(window.key(), stats.toString()))
                .to(topics.own(OUTPUT), Produced.with(Serdes.String(), Serdes.String()));
    }

    @Override
    public List<String> topics(Parameters parameters) {
        return List.of(OUTPUT);
    }
}
