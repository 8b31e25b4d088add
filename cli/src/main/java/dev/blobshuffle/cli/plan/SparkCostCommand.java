package dev.blobshuffle.cli.plan;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.planner.spark.SparkCost;
import dev.blobshuffle.planner.spark.SparkShuffle;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
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
            "Compares requests, bytes between zones and cost of one shuffle of Apache Spark:",
            "natively, with an object for each map, and through blobs. A model with list prices,",
            "described in docs/guides/planner.md. It also says how many maps run again if an executor",
            "is lost."
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

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description =
                    "Whose prices: aws, aws-s3-express, gcp, azure, r2 or self-hosted (default: ${DEFAULT-VALUE}).")
    private String provider = "aws";

    @Option(
            names = "--prices",
            paramLabel = "FILE",
            description = "Your own price table, as docs/guides/planner.md describes.")
    private @Nullable Path prices;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            arity = "0..1",
            fallbackValue = "",
            description = "Print the costs as JSON, or write them into a file.")
    private @Nullable String json;

    /** Made by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public SparkCostCommand() {}

    @Override
    public Integer call() {
        try {
            PriceTable table =
                    prices == null ? PriceTables.named(provider.toLowerCase(Locale.ROOT)) : PriceTables.read(prices);
            SparkShuffle shuffle =
                    new SparkShuffle(maps, reducers, size, new SparkShuffle.Cluster(executors, cores, zones));
            SparkCost cost = new SparkCost(shuffle, table);
            PrintWriter out = spec.commandLine().getOut();
            String text = Json.write(SparkCostTable.json(shuffle, cost));
            if (json != null && json.isEmpty()) {
                out.print(text);
            } else {
                out.print(SparkCostTable.comparison(shuffle, cost, table));
            }
            out.flush();
            if (json != null && !json.isEmpty()) {
                write(Path.of(json), text);
            }
            return 0;
        } catch (PlanFailedException | BlobShuffleException e) {
            spec.commandLine().getErr().println(e.getMessage());
            spec.commandLine().getErr().flush();
            return ExitStatus.of(e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new PlanFailedException("Cannot write " + file + ": " + e + ". Give another file.", e);
        }
    }
}
