package dev.blobshuffle.bench.paper;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.run.BenchPlan;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Runner;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.bench.store.StorePlan;
import dev.blobshuffle.bench.store.StoreResult;
import dev.blobshuffle.bench.store.StoreRunner;
import dev.blobshuffle.bench.store.TransferCell.Direction;
import dev.blobshuffle.bench.workload.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Measures processor times on this machine by short real runs. Four runs of the shuffle benchmark
 * with blobs in memory, which differ in records, batches and partitions, give the time for a
 * record, a byte, a batch and a notification. They include the writes and reads of blobs in memory.
 * Blobs of two sizes, to and from an S3 simulator over TLS, give the time for a request and a byte,
 * which comes on top. Owned by one thread.
 */
public final class CpuMeasurement {
    private static final double GIBIBYTE = 1 << 30;
    private static final int SMALL_RECORD = 256;
    private static final int LARGE_RECORD = Deployment.VALUE_BYTES;
    private static final long RECORDS = 150_000;
    private static final long WARM_UP_RECORDS = 300_000;
    private static final String LARGE_BATCH = "8 MiB";
    private static final String SMALL_BATCH = "256 KiB";
    private static final int FEW_PARTITIONS = 4;
    private static final int MANY_PARTITIONS = 16;
    private static final int SMALL_BLOB = 1;
    private static final int LARGE_BLOB = 16;
    private static final long TRANSFERRED = 512L << 20;
    private static final int REQUESTS_BEFORE = 2000;

    private final Path files;
    private final Path memory;
    private final Consumer<String> progress;

    /**
     * @param files a directory for files of the runs
     * @param memory a directory on a memory file system, for blobs
     * @param progress is called line by line
     */
    public CpuMeasurement(Path files, Path memory, Consumer<String> progress) {
        this.files = files;
        this.memory = memory;
        this.progress = progress;
    }

    /**
     * Measures.
     *
     * @throws IllegalStateException if the output of a run does not match its input
     */
    public CpuCost run() throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        List<RunResult> runs = shuffles();
        List<StoreResult> transfers = transfers();
        double[] work = new double[runs.size()];
        double[][] counts = new double[runs.size()][];
        for (int i = 0; i < runs.size(); i++) {
            RunResult run = runs.get(i);
            double gibibytes = run.window().bytes() / GIBIBYTE;
            work[i] = run.applicationCpu();
            counts[i] = new double[] {
                run.window().records() / gibibytes,
                GIBIBYTE,
                run.counter("notifications-sent") / gibibytes,
                run.counter("blobs-stored") / gibibytes
            };
        }
        double[] costs = LinearCosts.solve(counts, work);
        return new CpuCost(
                costs[0],
                costs[1],
                costs[2],
                costs[3] + perRequest(transfers, Direction.PUT),
                perRequest(transfers, Direction.GET),
                perByte(transfers, Direction.PUT),
                perByte(transfers, Direction.GET));
    }

    private List<RunResult> shuffles() throws IOException, InterruptedException {
        BenchPlan plan = new BenchPlan(
                Workloads.named("shuffle"),
                List.of(Variant.BLOBS_MEMORY),
                List.of(
                        cell("large records, large batches", LARGE_RECORD, LARGE_BATCH, FEW_PARTITIONS),
                        cell("small records", SMALL_RECORD, LARGE_BATCH, FEW_PARTITIONS),
                        cell("small batches", LARGE_RECORD, SMALL_BATCH, FEW_PARTITIONS),
                        cell("small batches, many partitions", LARGE_RECORD, SMALL_BATCH, MANY_PARTITIONS)),
                1,
                1,
                List.of(),
                files,
                memory);
        List<RunResult> runs = new Runner(plan, progress).run();
        runs.stream().flatMap(run -> run.problem().stream()).findFirst().ifPresent(problem -> {
            throw new IllegalStateException("Cannot measure processor times: a run was wrong, " + problem
                    + ". Run it on a machine with less to do.");
        });
        return runs;
    }

    /** A cell with the same number of bytes for all record sizes. */
    private static Cell cell(String name, int recordBytes, String batch, int partitions) {
        long factor = LARGE_RECORD / recordBytes;
        Parameters parameters = Parameters.defaults()
                .with(Parameter.INSTANCES, 1)
                .with(Parameter.PARTITIONS, partitions)
                .with(Parameter.RECORD_BYTES, recordBytes)
                .with(Parameter.RECORDS, RECORDS * factor)
                .with(Parameter.WARM_UP_RECORDS, WARM_UP_RECORDS * factor)
                .with("batch-size", batch);
        return new Cell(Map.of("cpu", name), parameters);
    }

    private List<StoreResult> transfers()
            throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        StorePlan plan = new StorePlan(
                Optional.empty(),
                List.of("tls"),
                List.of(SMALL_BLOB, LARGE_BLOB),
                List.of(4),
                TRANSFERRED,
                REQUESTS_BEFORE,
                1,
                1);
        return new StoreRunner(plan, progress).run().results();
    }

    /** Seconds for a request of any size, from the extra time per GiB of small blobs. */
    private static double perRequest(List<StoreResult> transfers, Direction direction) {
        double more = perGibibyte(transfers, direction, SMALL_BLOB) - perGibibyte(transfers, direction, LARGE_BLOB);
        return Math.max(0, more) / (1024.0 / SMALL_BLOB - 1024.0 / LARGE_BLOB);
    }

    private static double perByte(List<StoreResult> transfers, Direction direction) {
        double requests = perRequest(transfers, direction) * 1024.0 / LARGE_BLOB;
        return (perGibibyte(transfers, direction, LARGE_BLOB) - requests) / GIBIBYTE;
    }

    private static double perGibibyte(List<StoreResult> transfers, Direction direction, int mebibytes) {
        return transfers.stream()
                .filter(each -> !each.isBare()
                        && each.cell().direction() == direction
                        && each.cell().mebibytes() == mebibytes)
                .mapToDouble(StoreResult::cpuPerGibibyte)
                .average()
                .orElse(Double.NaN);
    }
}
