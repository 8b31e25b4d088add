package dev.blobshuffle.bench.workload;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.WindowStore;

/**
 * Theodolite's UC3: statistics per sensor and hour of the day, over 30 days, for each day. Every
 * record is shuffled, and updates 30 windows.
 */
final class HourOfDayWorkload implements BenchWorkload {
    private static final ZoneId PLACE = ZoneId.of("Europe/Paris");
    private static final int DAYS = 30;
    private static final String STORE = "statistics";
    private static final String OUTPUT = "output";

    @Override
    public String name() {
        return "uc3";
    }

    @Override
    public String meaning() {
        return "Theodolite's aggregation by time attribute: statistics per sensor and hour of the day over 30 days.";
    }

    @Override
    public Source source(Parameters parameters, Timeline timeline) {
        return new Sensors(parameters.count(Parameter.KEYS), timeline);
    }

    @Override
    public Expectation expectation(Parameters parameters) {
        return new WindowExpectation(List.of(STORE), message -> DAYS, 1);
    }

    private static String key(Measurement measurement) {
        int hour = Instant.ofEpochMilli(measurement.timestamp()).atZone(PLACE).getHour();
        return hour + ";" + measurement.identifier();
    }

    @Override
    public void define(StreamsBuilder builder, Parameters parameters, Topics topics, Probes probes) {
        builder.stream(topics.input(), Consumed.with(Serdes.String(), Measurement.SERDE))
                .selectKey((sensor, measurement) -> key(measurement))
                .groupByKey(Grouped.with(Serdes.String(), probes.counting()))
                .windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofDays(DAYS)).advanceBy(Duration.ofDays(1)))
                .aggregate(
                        () -> Stats.NONE,
                        (hour, measurement, stats) -> stats.plus(measurement.valueInWatts()),
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
