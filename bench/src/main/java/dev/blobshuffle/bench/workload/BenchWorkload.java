package dev.blobshuffle.bench.workload;

import dev.blobshuffle.bench.parameter.Parameters;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.StreamsBuilder;

/** An application, its input, and the check of its output. Stateless. */
public interface BenchWorkload {
    /** The name in options and reports. */
    String name();

    /** A sentence that describes it. */
    String meaning();

    /** The input of a run. */
    Source source(Parameters parameters, Timeline timeline);

    /** The expected output of a run. */
    Expectation expectation(Parameters parameters);

    /**
     * Builds the application. It is ordinary Kafka Streams code; only settings decide how it
     * shuffles.
     */
    void define(StreamsBuilder builder, Parameters parameters, Topics topics, Probes probes);

    /** Whether {@link #defineWithOperators} builds the application too. */
    default boolean hasOperators() {
        return false;
    }

    /** Builds the same application with the operators in place of each shuffle. */
    default void defineWithOperators(StreamsBuilder builder, Parameters parameters, Topics topics, Probes probes) {
        throw new UnsupportedOperationException("Cannot run " + name() + " with operators: it has none.");
    }

    /** Topics of the run that are created before it starts, by the name within the run. */
    List<String> topics(Parameters parameters);

    /** Records that are in those topics before the run starts. */
    default Map<String, List<Message>> prepared(Parameters parameters) {
        return Map.of();
    }

    /**
     * Whether records carry the time at which they enter the shuffle; if not, latency is counted
     * from when they were due, which needs a rate.
     */
    default boolean isStamped() {
        return false;
    }

    /**
     * Whether the check needs no data that is lost with an instance, so that faults may be
     * injected.
     */
    default boolean bearsFaults() {
        return false;
    }
}
