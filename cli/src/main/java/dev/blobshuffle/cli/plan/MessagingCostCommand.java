package dev.blobshuffle.cli.plan;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.planner.messaging.Assumptions;
import dev.blobshuffle.planner.messaging.AssumptionsFile;
import dev.blobshuffle.planner.messaging.MessagingCost;
import dev.blobshuffle.planner.messaging.Quantity;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle plan messaging}: computes the yearly cost of publish and subscribe with
 * replicated Kafka, Inkless and BlobShuffle. Sends no requests.
 */
@Command(
        name = "messaging",
        exitCodeList = {"0:BlobShuffle reaches the goal (ours.goal)", "1:it does not"},
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compares what a year of messaging costs with replicated Kafka, Inkless and BlobShuffle, and prints every assumption.",
            "The prices of --provider apply where an assumption says 'planner'."
        })
public final class MessagingCostCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--assumptions",
            paramLabel = "FILE",
            description =
                    "Your own assumptions, one on each line: name | value | unit | source | date. Every one is required (docs/guides/planner.md).")
    private @Nullable Path assumptions;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "Another value for one assumption, for example load.published=0.1. Repeatable.")
    private List<String> values = List.of();

    @Option(
            names = "--cpu-per-gib",
            paramLabel = "SECONDS",
            description =
                    "Measured CPU seconds of all publishers and subscribers for each GiB published; the same as --set ours.client.cpu=SECONDS.")
    private @Nullable String cpuPerGib;

    @Mixin
    private CostOptions costs;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public MessagingCostCommand() {}

    @Override
    public Integer call() {
        return PlanOutput.run(spec, this::compare);
    }

    private int compare() {
        Assumptions given = given();
        MessagingCost cost = new MessagingCost(given);
        PlanOutput.print(
                spec,
                costs.json,
                MessagingCostTable.json(given, cost),
                out -> MessagingCostTable.print(given, cost, out));
        return cost.meetsGoal() ? 0 : 1;
    }

    private Assumptions given() {
        PriceTable table = costs.table();
        Assumptions given =
                assumptions == null ? AssumptionsFile.shipped(table) : AssumptionsFile.read(assumptions, table);
        for (String value : values) {
            int equals = value.indexOf('=');
            if (equals < 1) {
                throw new InvalidSettingsException(
                        "Cannot use --set " + value + ": it is not NAME=VALUE. Write for example load.groups=1.");
            }
            given = given.with(value.substring(0, equals), value.substring(equals + 1), "--set");
        }
        return cpuPerGib == null ? given : given.with(Quantity.OURS_CLIENT_CPU.key(), cpuPerGib, "--cpu-per-gib");
    }
}
