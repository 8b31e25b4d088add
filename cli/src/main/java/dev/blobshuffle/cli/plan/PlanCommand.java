package dev.blobshuffle.cli.plan;

import dev.blobshuffle.cli.topology.TopologyCommand;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.planner.KafkaPrices;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.planner.Plan;
import dev.blobshuffle.planner.Planner;
import dev.blobshuffle.planner.ShuffleModel;
import dev.blobshuffle.planner.Tuning;
import dev.blobshuffle.planner.Workload;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle plan}: computes the cost and latency of a shuffle, and recommends settings.
 * Sends no requests.
 */
@Command(
        name = "plan",
        exitCodeList = {"0:the settings reach the goal", "1:no settings reach it, or the metrics cannot be read"},
        mixinStandardHelpOptions = true,
        sortOptions = false,
        subcommands = {MessagingCostCommand.class, SparkCostCommand.class, FlinkCostCommand.class, TopologyCommand.class
        },
        description = {
            "Says what a shuffle would cost natively and through blobs, how fast it would be, and which settings to use.",
            "A model with list prices and latency profiles, described in docs/guides/planner.md; --from-metrics uses measurements."
        })
public final class PlanCommand implements Callable<Integer> {
    private static final int PARTITIONS_PER_INSTANCE = 9;

    @Spec
    private CommandSpec spec;

    @ArgGroup(validate = false, heading = "%nWorkload:%n")
    private WorkloadOptions workload = new WorkloadOptions();

    @ArgGroup(validate = false, heading = "%nGoal and fixed settings:%n")
    private TuningOptions tuning = new TuningOptions();

    @Option(
            names = "--from-metrics",
            paramLabel = "URL|FILE",
            arity = "1..*",
            description =
                    "Take load and sizes from a running application's metrics, as Prometheus gets them (http://HOST:9400/metrics of each instance) or as JSON (docs/guides/planner.md); other options override.")
    private @Nullable List<String> metrics;

    @Option(
            names = "--application",
            paramLabel = "NAME",
            description = "With --from-metrics: whose metrics, if there are those of several applications.")
    private @Nullable String application;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            arity = "0..1",
            fallbackValue = "",
            description = "Print the plan as JSON, or write it into a file.")
    private @Nullable String json;

    @Option(
            names = "--report",
            paramLabel = "FILE.html",
            description = "Write the plan as an HTML page with a plot of cost against latency.")
    private @Nullable Path report;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public PlanCommand() {}

    @Override
    public Integer call() {
        return PlanOutput.run(spec, this::print);
    }

    private int print() {
        Plan plan = plan();
        PlanOutput.print(spec, json, PlanJson.of(plan), out -> PlanTable.print(plan, out));
        if (report != null) {
            PlanOutput.write(report, PlanReport.html(plan));
        }
        return plan.meetsGoal() ? 0 : 1;
    }

    private Plan plan() {
        Workload.Builder builder = Workload.builder();
        Optional<MetricsReading> measured = Optional.ofNullable(metrics)
                .map(places -> MetricsReading.from(places, Optional.ofNullable(application)));
        if (measured.isPresent()) {
            measured.get().over(builder);
        } else if (application != null) {
            throw new InvalidSettingsException(
                    "Cannot choose application '" + application + "': there are no metrics. Give --from-metrics too.");
        } else if (workload.throughput == null) {
            throw new InvalidSettingsException(
                    "Cannot plan: there is no load. Give --throughput, for example --throughput 100MiB/s.");
        }
        if (workload.instances != null && workload.partitions == null) {
            builder.partitions(PARTITIONS_PER_INSTANCE * Math.max(1, Math.min(workload.instances, 100_000)));
        }
        Workload asked = workload.over(builder).build();
        PriceTable prices = tuning.priceTable();
        KafkaPrices kafka = tuning.kafkaPrices();
        Tuning base = tuning.tuning(asked, prices, kafka);
        LatencyProfile named = tuning.latencyProfile(prices);
        LatencyProfile profile = measured.filter(reading -> tuning.profile == null)
                .map(reading -> reading.over(named))
                .orElse(named);
        Planner planner = new Planner(new ShuffleModel(prices, profile).withKafka(kafka));
        return planner.plan(asked, base, tuning.goal(base));
    }
}
