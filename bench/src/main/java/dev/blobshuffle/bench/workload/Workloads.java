package dev.blobshuffle.bench.workload;

import java.util.List;
import java.util.stream.Collectors;

/** All workloads. Stateless. */
public final class Workloads {
    private static final List<BenchWorkload> ALL = List.of(
            new ShuffleWorkload(),
            new MatcherWorkload(),
            new StorageWorkload(),
            new DownsamplingWorkload("uc2", false),
            new DownsamplingWorkload("uc2-rekeyed", true),
            new HourOfDayWorkload(),
            new HierarchyWorkload(),
            new FanOutWorkload());

    private Workloads() {}

    /** All of them. */
    public static List<BenchWorkload> all() {
        return ALL;
    }

    /**
     * The workload of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static BenchWorkload named(String name) {
        return ALL.stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Cannot run " + name
                        + ": there is no such workload. Give one of "
                        + ALL.stream().map(BenchWorkload::name).collect(Collectors.joining(", ")) + "."));
    }
}
