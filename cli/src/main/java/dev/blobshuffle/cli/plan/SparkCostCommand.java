package dev.blobshuffle.cli.plan;

import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.planner.spark.SparkCost;
import dev.blobshuffle.planner.spark.SparkShuffle;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle plan spark}: what a shuffle of Spark costs natively, with an object for each
 * map, and through blobs. Computes only.
 */
@Command(
        name = "spark",
        exitCodeList = "0:the costs are printed",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compares the cost of one shuffle of Apache Spark natively and through blobs.",
            "The comparison has requests and bytes between zones, too, and objects for each map. It is a model with list prices,",
            "described in docs/guides/planner.md. It also says how many maps run again if an executor is lost."
        })
public final class SparkCostCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--maps", paramLabel = "N", required = true, description = "Tasks that write the shuffle.")
    private long maps;

    @Option(
            names = "--reducers",
            paramLabel = "N",
            required = true,
            description = "Tasks that read it: spark.sql.shuffle.partitions.")
    private long reducers;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            required = true,
            converter = Quantity.Bytes.class,
            description = "What the maps write, compressed: 'Shuffle Write' in Spark's UI.")
    private double size;

    @Option(names = "--executors", paramLabel = "N", required = true, description = "Executors that run these tasks.")
    private long executors;

    @Option(
            names = "--cores",
            paramLabel = "N",
            description = "Tasks that an executor runs at a time (default: ${DEFAULT-VALUE}).")
    private long cores = 4;

    @Option(
            names = "--zones",
            paramLabel = "N",
            description = "Availability zones of the executors (default: ${DEFAULT-VALUE}).")
    private long zones = 3;

    @Mixin
    private CostOptions options;

    /** Made by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public SparkCostCommand() {}

    @Override
    public Integer call() {
        return PlanOutput.run(spec, this::compare);
    }

    private int compare() {
        PriceTable table = options.table();
        SparkShuffle shuffle =
                new SparkShuffle(maps, reducers, size, new SparkShuffle.Cluster(executors, cores, zones));
        SparkCost cost = new SparkCost(shuffle, table);
        PlanOutput.print(
                spec,
                options.json,
                SparkCostTable.json(shuffle, cost),
                out -> out.print(SparkCostTable.comparison(shuffle, cost, table)));
        return 0;
    }
}
