package dev.blobshuffle.bench.paper;

import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.simulator.SimulatedTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Runs every cluster of a plan once, two at a time: figures share clusters. Each run has a virtual
 * time of its own, so its numbers depend on the seed only. Owned by one thread.
 */
public final class PaperRunner {
    private static final int AT_ONCE = 2;

    /** The only point of the figure of distributions gets more batches. */
    private static final int MORE_BATCHES = 3;

    private final PaperPlan plan;
    private final Consumer<String> progress;

    /** @param progress is called with a line for each cluster that has run, from any thread */
    public PaperRunner(PaperPlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    private record Point(LatencyProfile profile, Deployment deployment, int batches) {}

    /**
     * Runs them.
     *
     * @return by profile and cluster
     */
    public Map<LatencyProfile, Map<Deployment, ClusterResult>> run() throws InterruptedException, ExecutionException {
        Set<Point> points = new LinkedHashSet<>();
        Deployment distribution = Figure.ALL.get(0).deployments().get(0);
        for (LatencyProfile profile : plan.profiles()) {
            for (Figure figure : plan.figures(profile)) {
                figure.deployments()
                        .forEach(deployment -> points.add(new Point(
                                profile,
                                deployment,
                                plan.batches() * (deployment.equals(distribution) ? MORE_BATCHES : 1))));
            }
        }
        return run(List.copyOf(points));
    }

    private Map<LatencyProfile, Map<Deployment, ClusterResult>> run(List<Point> points)
            throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<ClusterResult>> runs = new ArrayList<>();
            points.forEach(point -> runs.add(threads.submit(() -> run(point))));
            Map<LatencyProfile, Map<Deployment, ClusterResult>> results = new LinkedHashMap<>();
            for (int i = 0; i < points.size(); i++) {
                Point point = points.get(i);
                results.computeIfAbsent(point.profile(), profile -> new LinkedHashMap<>())
                        .put(point.deployment(), runs.get(i).get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private ClusterResult run(Point point) {
        Deployment deployment = point.deployment();
        try (SimulatedTime time = new SimulatedTime(plan.seed())) {
            ClusterResult result = new VirtualCluster(deployment, point.profile(), point.batches(), time).run();
            progress.accept(String.format(
                    Locale.ROOT,
                    "  %s, %s: %s MiB, %d partitions, %d instances, %.2f GiB/s: p50 %.2f, p95 %.2f s, %.1f puts/s",
                    point.profile().name(),
                    deployment.layout().label(),
                    PaperReport.number(deployment.mebibytes()),
                    deployment.partitions(),
                    deployment.instances(),
                    result.gibibytesPerSecond(),
                    ClusterResult.seconds(result.latency(), 50),
                    ClusterResult.seconds(result.latency(), 95),
                    result.putsPerSecond()));
            return result;
        }
    }
}
