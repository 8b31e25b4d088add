package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The options of Kafka Streams whose effect on scalability Theodolite's authors studied, each alone
 * against the defaults: topology optimization, replicas of internal topics, standby replicas,
 * warm-up replicas. Stateless.
 */
public final class OptionStudy {
    /** The name of the value that distinguishes the cells. */
    private static final String OPTION = "option";

    /** Replicas of internal topics; the authors used the same number for the input. */
    private static final String REPLICATION = "replication.factor";

    private static final List<List<String>> TRIED = List.of(
            List.of("topology-optimization", "all"),
            List.of(REPLICATION, "3"),
            List.of("standby-replicas", "1"),
            List.of("standby-replicas", "2"),
            List.of("warm-up-replicas", "1"),
            List.of("warm-up-replicas", "3"));

    private OptionStudy() {}

    /**
     * The study's settings, as far as one machine supports them: three brokers, internal topics
     * without replicas, a commit every 100 ms.
     */
    public static Parameters base() {
        return Parameters.defaults()
                .with("replication", "3")
                .with(REPLICATION, "1")
                .with("commit-interval-ms", "100")
                .with("rate", "500")
                .with("warm-up-seconds", "30");
    }

    /** The defaults, and each option alone. */
    public static List<Cell> cells(Parameters base) {
        List<Cell> cells = new ArrayList<>();
        cells.add(new Cell(Map.of(OPTION, "defaults"), base));
        for (List<String> one : TRIED) {
            String name = one.get(0);
            Parameters parameters = base.with(name, one.get(1));
            cells.add(new Cell(
                    Map.of(OPTION, name + "=" + one.get(1)),
                    name.equals(REPLICATION) ? parameters.with(Parameter.INPUT_REPLICATION, one.get(1)) : parameters));
        }
        return cells;
    }
}
