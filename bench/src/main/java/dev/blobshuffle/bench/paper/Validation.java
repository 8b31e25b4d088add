package dev.blobshuffle.bench.paper;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.run.BenchPlan;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Runner;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.bench.workload.Workloads;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.simulator.SimulatedTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs points of the figures for real and under virtual time, and compares them. The real run has a
 * broker, Kafka Streams, and an S3 simulator over TLS. Three of the 24 instances run, one in each
 * zone, each with 1/64 of its load. The virtual run is of these three instances at the same scale.
 * Owned by one thread.
 */
public final class Validation {
    /** The divisor of sizes and loads. */
    private static final int SCALE = 64;

    private static final int PAPERS_INSTANCES = 24;
    private static final int INSTANCES = Deployment.ZONES;
    private static final int INPUT_PARTITIONS = 9;
    private static final int WARM_UP_SECONDS = 75;

    /** Time until each instance has made the 100 puts after which it hedges. */
    private static final int WARM_UP_SECONDS_OF_HEDGING = 180;

    private static final long CACHE_BYTES = 64L << 20;

    /** Enough batches for virtual numbers that are exact within 1 %. */
    private static final int VIRTUAL_BATCHES = 4000;

    /** The compiler of a JVM's first minutes delays records on a small machine. */
    private static final List<String> JVM_OPTIONS = List.of("-XX:TieredStopAtLevel=1");

    private static final LatencyProfile PROFILE = LatencyProfile.S3_PAPER_REQUESTS;

    private final int seconds;
    private final long seed;
    private final Path files;
    private final Path memory;
    private final Consumer<String> progress;

    /**
     * @param seconds that each real run measures
     * @param seed of everything random
     * @param files a directory for files of the runs
     * @param memory a directory on a memory file system
     * @param progress is called line by line
     */
    public Validation(int seconds, long seed, Path files, Path memory, Consumer<String> progress) {
        this.seconds = seconds;
        this.seed = seed;
        this.files = files;
        this.memory = memory;
        this.progress = progress;
    }

    /** The points: the paper's layout with two sizes, and ours. */
    static List<Deployment> points() {
        return List.of(point(Layout.PAPER, 16), point(Layout.PAPER, 4), point(Layout.OURS, 16));
    }

    private static Deployment point(Layout layout, double mebibytes) {
        return new Deployment(
                layout,
                mebibytes,
                2 * INPUT_PARTITIONS,
                INSTANCES,
                PaperLoad.USUAL * INSTANCES / PAPERS_INSTANCES,
                Scale.ofRealRun(SCALE, CACHE_BYTES));
    }

    /**
     * Runs all points.
     *
     * @throws IllegalStateException if the output of a real run does not match its input
     */
    public List<ValidatedPoint> run() throws IOException, InterruptedException {
        List<ValidatedPoint> all = new ArrayList<>();
        for (Deployment point : points()) {
            ClusterResult virtual = virtual(point);
            RunResult real = real(point);
            real.problem().ifPresent(problem -> {
                throw new IllegalStateException("Cannot validate with a run that was wrong: " + problem);
            });
            all.add(ValidatedPoint.of(virtual, real));
        }
        return all;
    }

    private ClusterResult virtual(Deployment point) {
        try (SimulatedTime time = new SimulatedTime(seed)) {
            return new VirtualCluster(point, PROFILE, VIRTUAL_BATCHES, time).run();
        }
    }

    private RunResult real(Deployment point) throws IOException, InterruptedException {
        Cell cell =
                new Cell(Map.of("point", point.layout().label() + " " + point.mebibytes() + " MiB"), parameters(point));
        BenchPlan plan = new BenchPlan(
                Workloads.named("shuffle"),
                List.of(Variant.BLOBS_S3),
                List.of(cell),
                1,
                seed,
                JVM_OPTIONS,
                files,
                memory);
        return new Runner(plan, progress).run().get(0);
    }

    /** The parameters of the virtual cluster as parameters of a real one. */
    private Parameters parameters(Deployment point) {
        Parameters parameters = Parameters.defaults()
                .with(Parameter.STORE_LATENCY, PROFILE.name())
                .with(Parameter.STORE_SCALE, SCALE)
                .with(Parameter.ZONES, Deployment.ZONES)
                .with(Parameter.INSTANCES, INSTANCES)
                .with(Parameter.PARTITIONS, INPUT_PARTITIONS)
                .with(Parameter.RECORD_BYTES, Deployment.VALUE_BYTES)
                .with(Parameter.RATE, Math.round(point.scaledRecordsPerSecond() * INSTANCES))
                .with(
                        Parameter.WARM_UP_SECONDS,
                        point.layout().isHedged() ? WARM_UP_SECONDS_OF_HEDGING : WARM_UP_SECONDS)
                .with(Parameter.SECONDS, seconds)
                .with(Parameter.COMMIT_INTERVAL_MS, Deployment.COMMIT_INTERVAL.toMillis())
                .with("cache-bytes", Long.toString(CACHE_BYTES))
                .with("inline-bytes", "0")
                .with("main.consumer.fetch.min.bytes", "1000000")
                .with("main.consumer.fetch.max.wait.ms", "20");
        if (point.layout() == Layout.PAPER) {
            return parameters
                    .with("batch-layout", "per-zone")
                    .with("batch-size", Long.toString(point.scaledBatchBytes()))
                    .with("batch-delay-ms", Long.toString(Deployment.COMMIT_INTERVAL.toMillis()))
                    .with("blobshuffle.store.hedge.enabled", "false");
        }
        return parameters
                .with("batch-size", Long.toString(point.batching().batchBytes()))
                .with("batch-delay-ms", Long.toString(Math.round(point.fillSeconds() * 1000)));
    }
}
