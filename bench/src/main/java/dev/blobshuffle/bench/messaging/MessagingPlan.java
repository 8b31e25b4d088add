package dev.blobshuffle.bench.messaging;

import java.time.Duration;
import java.util.List;

/**
 * The plan of a benchmark.
 *
 * @param workloads in order
 * @param systems that are compared
 * @param rounds of all
 */
public record MessagingPlan(List<Workload> workloads, List<MessagingSystem> systems, int rounds) {
    private static final Duration AROUND = Duration.ofSeconds(9);

    /** Copies the lists, and checks that there is something to run. */
    public MessagingPlan {
        workloads = List.copyOf(workloads);
        systems = systems.stream().distinct().toList();
        if (workloads.isEmpty() || systems.isEmpty() || rounds < 1 || rounds > 100) {
            throw new IllegalArgumentException(
                    "Cannot compare " + systems.size() + " systems on " + workloads.size() + " workloads in " + rounds
                            + " rounds. Name a system and a workload, and ask for 1 to 100 rounds.");
        }
    }

    /**
     * The systems of a workload. At a fixed rate, systems with transactions are left out, because
     * the cost of transactions shows in the maximum rate.
     */
    List<MessagingSystem> systems(Workload workload) {
        boolean hasPlain = systems.stream().anyMatch(system -> !system.isTransactional());
        return systems.stream()
                .filter(system -> workload.isMaximumRate() || !hasPlain || !system.isTransactional())
                .toList();
    }

    /** The approximate duration. */
    public Duration estimate() {
        Duration all = Duration.ofSeconds(20);
        for (Workload workload : workloads) {
            all = all.plus(workload.warmUp()
                    .plus(workload.measured())
                    .plus(AROUND)
                    .multipliedBy((long) rounds * systems(workload).size()));
        }
        return all;
    }
}
