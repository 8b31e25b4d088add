package dev.blobshuffle.bench.workload;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Theodolite's UC1: every record is converted to JSON and logged at INFO, in place of storing it.
 * It has no shuffle, so it shows the suite's cost without one.
 */
final class StorageWorkload implements BenchWorkload {
    private static final Logger LOG = LoggerFactory.getLogger(StorageWorkload.class);

    @Override
    public String name() {
        return "uc1";
    }

    @Override
    public String meaning() {
        return "Theodolite's storage: records become JSON and are logged; no shuffle.";
    }

    @Override
    public Source source(Parameters parameters, Timeline timeline) {
        return new Sensors(parameters.count(Parameter.KEYS), timeline);
    }

    @Override
    public Expectation expectation(Parameters parameters) {
        return new WindowExpectation(List.of(), message -> 0, 1);
    }

    @Override
    public void define(StreamsBuilder builder, Parameters parameters, Topics topics, Probes probes) {
        builder.stream(topics.input(), Consumed.with(Serdes.String(), probes.counting()))
                .mapValues(StorageWorkload::json)
                .foreach((sensor, json) -> LOG.info("Record: {}", json));
    }

    private static String json(Measurement measurement) {
        return String.format(
                Locale.ROOT,
                "{\"identifier\":\"%s\",\"timestamp\":%d,\"valueInW\":%s}",
                measurement.identifier(),
                measurement.timestamp(),
                measurement.valueInWatts());
    }

    @Override
    public List<String> topics(Parameters parameters) {
        return List.of();
    }
}
