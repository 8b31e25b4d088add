package dev.blobshuffle.cli.plan;

import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.planner.flink.FlinkCost;
import dev.blobshuffle.planner.flink.FlinkShuffle;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle plan flink}: what a keyBy of a streaming job of Flink costs in an hour,
 * natively and through blobs, and whether blobs pay. Computes only.
 */
@Command(
        name = "flink",
        exitCodeList = {"0:blobs cost less", "1:blobs do not pay, or the costs cannot be computed"},
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compares the cost of one keyBy of a streaming job of Apache Flink natively and through blobs.",
            "It says whether blobs pay. A model with list prices, described in docs/guides/planner.md."
        })
public final class FlinkCostCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--throughput",
            paramLabel = "RATE",
            required = true,
            converter = Quantity.Rate.class,
            description = "Serialized records that enter the keyBy.")
    private double throughput;

    @Option(
            names = "--zones",
            paramLabel = "N",
            description = "Availability zones of the TaskManagers (default: ${DEFAULT-VALUE}).")
    private long zones = 3;

    @Option(names = "--task-managers", paramLabel = "N", required = true, description = "TaskManagers of the job.")
    private long taskManagers;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            required = true,
            description = "Subtasks before the keyBy, and as many behind it.")
    private long parallelism;

    @Option(
            names = "--max-parallelism",
            paramLabel = "N",
            description = "Number of key groups (default: ${DEFAULT-VALUE}).")
    private long maxParallelism = 128;

    @Option(
            names = "--batch-size",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "blobshuffle.batch.max.bytes (default: 16MiB).")
    private double batchSize = 16 << 20;

    @Option(
            names = "--delay",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "blobshuffle.batch.max.delay.ms (default: 500ms).")
    private Duration delay = Duration.ofMillis(500);

    @Option(
            names = "--retention",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "How long blobs are kept (default: 6h, the floor).")
    private Duration retention = Duration.ofHours(6);

    @Option(
            names = "--cpu-per-gib",
            paramLabel = "SECONDS",
            description = "CPU seconds that a GiB through blobs takes beyond Flink's own exchange, an assumption"
                    + " (default: ${DEFAULT-VALUE}).")
    private double cpuPerGib = 3;

    @Mixin
    private CostOptions options;

    /** Made by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public FlinkCostCommand() {}

    @Override
    public Integer call() {
        return PlanOutput.run(spec, this::compare);
    }

    private int compare() {
        PriceTable table = options.table();
        FlinkShuffle shuffle = new FlinkShuffle(
                throughput,
                new FlinkShuffle.Cluster(zones, taskManagers, parallelism, maxParallelism),
                new FlinkShuffle.Batching(batchSize, delay, retention, cpuPerGib));
        FlinkCost cost = new FlinkCost(shuffle, table);
        PlanOutput.print(
                spec,
                options.json,
                FlinkCostTable.json(shuffle, cost),
                out -> out.print(FlinkCostTable.comparison(shuffle, cost, table)));
        return cost.verdict() == FlinkCost.Verdict.PAYS ? 0 : 1;
    }
}
