package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.workload.Workloads;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench run throughput}: the minimal shuffle benchmark of the
 * BlobShuffle paper (section 5.1), native against blobs, each process's CPU time from the operating
 * system.
 */
@Command(
        name = "throughput",
        description = "Throughput, CPU time and latency of a shuffle, native against blobs.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ThroughputCommand implements Callable<Integer> {
    private static final double BYTES_PER_GIB = 1 << 30;

    @Mixin
    private RunOptions options;

    @Option(
            names = "--replication",
            split = ",",
            defaultValue = "1,3",
            description = "Replication factors; each has as many brokers.")
    private List<String> replications;

    @Option(names = "--gib", defaultValue = "1.0", description = "GiB that each run measures.")
    private double gibibytes;

    @Option(names = "--warm-up-gib", defaultValue = "0.5", description = "GiB before that.")
    private double warmUpGibibytes;

    @Option(names = "--record-bytes", defaultValue = "1024", description = "Bytes of a record's value.")
    private int recordBytes;

    @Option(names = "--instances", defaultValue = "2", description = "Processes of the application.")
    private int instances;

    @Option(names = "--threads", defaultValue = "1", description = "Stream threads of each.")
    private int threads;

    @Option(
            names = "--partitions",
            defaultValue = "4",
            description = "Partitions of the input; the shuffle has twice as many.")
    private int partitions;

    @Option(names = "--guarantee", defaultValue = "at_least_once", description = "Kafka Streams' processing.guarantee.")
    private String guarantee;

    @Option(names = "--commit-interval-ms", defaultValue = "5000", description = "Kafka Streams' commit.interval.ms.")
    private long commitIntervalMillis;

    @Option(
            names = "--rate",
            defaultValue = "0",
            description =
                    "Records per second that a load generator sends; 0: the input lies ready and is read as fast as possible.")
    private long rate;

    @Option(
            names = "--output",
            description = "Write every shuffled record to an output topic too, as the paper's benchmark does.")
    private boolean hasOutput;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        return new Bench(spec.commandLine(), options).run(Workloads.named("shuffle"), this::cells);
    }

    private List<Cell> cells() {
        Parameters base = Parameters.defaults()
                .with(Parameter.INSTANCES, instances)
                .with(Parameter.THREADS, threads)
                .with(Parameter.PARTITIONS, partitions)
                .with(Parameter.RECORD_BYTES, recordBytes)
                .with(Parameter.WARM_UP_RECORDS, Math.round(warmUpGibibytes * BYTES_PER_GIB / recordBytes))
                .with(Parameter.RECORDS, Math.round(gibibytes * BYTES_PER_GIB / recordBytes))
                .with(Parameter.GUARANTEE, guarantee)
                .with(Parameter.COMMIT_INTERVAL_MS, commitIntervalMillis)
                .with(Parameter.RATE, rate)
                .with(Parameter.OUTPUT, Boolean.toString(hasOutput));
        return Cell.all(options.parameters(base), Map.of("replication", replications));
    }
}
