package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.bench.report.HtmlReport;
import dev.blobshuffle.bench.report.ResultCsv;
import dev.blobshuffle.bench.run.BenchPlan;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.OptionStudy;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Session;
import dev.blobshuffle.bench.run.Testbed;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.bench.search.DemandChart;
import dev.blobshuffle.bench.search.DemandSearch;
import dev.blobshuffle.bench.search.LoadKind;
import dev.blobshuffle.bench.search.Objectives;
import dev.blobshuffle.bench.search.ScalabilitySearch;
import dev.blobshuffle.bench.search.SearchSettings;
import dev.blobshuffle.bench.search.Strategy;
import dev.blobshuffle.bench.search.Verdict;
import dev.blobshuffle.bench.workload.BenchWorkload;
import dev.blobshuffle.bench.workload.Workloads;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.HtmlPage;
import dev.blobshuffle.cli.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench run search}: scalability as Theodolite defines it, on this
 * machine.
 */
@Command(
        name = "search",
        description =
                "How many instances a load needs, or which load so many carry (Theodolite's demand and capacity).",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class SearchCommand implements Callable<Integer> {
    private static final String LOAD = "load";

    @picocli.CommandLine.Parameters(index = "0", defaultValue = "uc3", description = "What to run.")
    private String workloadName;

    @Mixin
    private RunOptions options;

    @Option(names = "--loads", split = ",", required = true, description = "Loads to try.")
    private List<Long> loads;

    @Option(
            names = "--load-kind",
            defaultValue = "rate",
            description =
                    "What a load counts: rate (records per second), sensors (each sends a record per second), or groups (nested groups of uc4, with 4^n such sensors).")
    private String kindName;

    @Option(names = "--study", description = "Repeat the search with each option of Theodolite's study.")
    private boolean isStudy;

    @Option(names = "--instances", split = ",", defaultValue = "1,2", description = "Numbers of instances to try.")
    private List<Long> instances;

    @Option(names = "--metric", defaultValue = "demand", description = "demand or capacity.")
    private String metric;

    @Option(names = "--strategy", defaultValue = "linear", description = "full, linear or binary.")
    private String strategyName;

    @Option(names = "--lower-bound", description = "Begin at what smaller loads needed.")
    private boolean hasLowerBound;

    @Option(
            names = "--slo-lag",
            defaultValue = "0.01",
            description = "Allowed trend of the backlog, share of the load.")
    private double lagShare;

    @Option(
            names = "--slo-lag-records",
            paramLabel = "NUMBER|published",
            description =
                    "Allowed trend in records per second instead; published: 2000, for uc3 100, as Theodolite's authors have it.")
    private @Nullable String lagRecords;

    @Option(names = "--slo-dropped", defaultValue = "0.001", description = "Allowed share of updates dropped.")
    private double droppedShare;

    @Option(names = "--slo-p95", description = "Allowed p95 latency, milliseconds.")
    private @Nullable Double p95Millis;

    @Option(names = "--theodolite", description = "Directory for results in Theodolite's files.")
    private @Nullable Path theodolite;

    @Spec
    private CommandSpec spec;

    private final Testbed.Opening opening;

    SearchCommand() {
        this(Session::open);
    }

    /** @param opening where the runs take place */
    SearchCommand(Testbed.Opening opening) {
        this.opening = opening;
    }

    @Override
    public Integer call() throws InterruptedException {
        Bench bench = new Bench(spec.commandLine(), options);
        BenchWorkload workload;
        List<Variant> variants;
        List<Cell> cells;
        SearchSettings settings;
        try {
            workload = Workloads.named(workloadName);
            variants = options.variants.stream().map(Variant::named).toList();
            settings = settings(workload);
            Parameters base = options.parameters(isStudy ? OptionStudy.base() : Parameters.defaults());
            Parameters loaded = settings.kind().over(base, loads.get(0));
            cells = isStudy ? OptionStudy.cells(loaded) : List.of(Cell.only(loaded));
            bench.plan(workload, variants, cells, options.memory, options.memory);
        } catch (IllegalArgumentException e) {
            throw bench.invalid(String.valueOf(e.getMessage()));
        }
        bench.checkMachine();
        Map<String, Object> environment = Environment.asJson();
        try {
            return bench.inDirectories((files, memory) -> {
                BenchPlan plan = bench.plan(workload, variants, cells, files, memory);
                DemandSearch search =
                        new DemandSearch(plan, settings, Optional.ofNullable(theodolite), opening, bench::say);
                Map<String, Map<Long, OptionalLong>> found = search.run();
                print(settings, found, search);
                write(bench, settings, found, search, environment);
                return 0;
            });
        } catch (IOException | UncheckedIOException | IllegalStateException e) {
            return bench.failed(e);
        }
    }

    private SearchSettings settings(BenchWorkload workload) {
        LoadKind kind = LoadKind.named(kindName);
        kind.check(workload.name(), loads);
        return new SearchSettings(
                SearchSettings.Metric.named(metric),
                kind,
                loads,
                instances,
                Strategy.named(strategyName),
                hasLowerBound ? ScalabilitySearch.Restriction.LOWER_BOUND : ScalabilitySearch.Restriction.NONE,
                options.repetitions,
                objectives(workload));
    }

    private Objectives objectives(BenchWorkload workload) {
        OptionalDouble bound = OptionalDouble.empty();
        if (lagRecords != null) {
            try {
                bound = OptionalDouble.of(
                        lagRecords.equals("published")
                                ? Objectives.publishedLag(workload.name())
                                : Double.parseDouble(lagRecords));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "Cannot use --slo-lag-records " + lagRecords
                                + ": it is not a number. Give records per second, or published.",
                        e);
            }
        }
        return new Objectives(
                lagShare,
                bound,
                droppedShare,
                p95Millis == null ? OptionalDouble.empty() : OptionalDouble.of(p95Millis));
    }

    private void print(SearchSettings settings, Map<String, Map<Long, OptionalLong>> found, DemandSearch search) {
        PrintWriter out = spec.commandLine().getOut();
        String unit = settings.kind().unit();
        out.println();
        out.println(settings.isDemand() ? "Demand: instances by " + unit : "Capacity: " + unit + " by instances");
        found.forEach((what, steps) -> {
            out.printf("%-36s", what);
            steps.forEach((one, other) ->
                    out.printf("  %d: %s", one, other.isPresent() ? Long.toString(other.getAsLong()) : "none"));
            out.println();
        });
        out.println();
        out.println("CPU time per record by " + unit
                + ", microseconds of application and brokers without compilers: median (least-most)");
        search.cpu().lines().forEach(out::println);
        out.flush();
    }

    /** Writes the files that the options ask for. */
    private void write(
            Bench bench,
            SearchSettings settings,
            Map<String, Map<Long, OptionalLong>> found,
            DemandSearch search,
            Map<String, Object> environment)
            throws IOException {
        String unit = settings.kind().unit();
        Chart chart = settings.isDemand()
                ? DemandChart.of("Demand", unit, "instances", found)
                : DemandChart.of("Capacity", "instances", unit, found);
        Chart cpu = search.cpu().chart(unit);
        if (options.json != null) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("environment", environment);
            json.put("search", settings.asJson());
            json.put(
                    "found",
                    found.entrySet().stream()
                            .map(one -> found(settings.isDemand(), one))
                            .toList());
            json.put("verdicts", search.verdicts().stream().map(Verdict::asJson).toList());
            json.put("runs", search.runs().stream().map(RunResult::asJson).toList());
            bench.write("Numbers", options.json, Json.write(json));
        }
        if (options.csv != null) {
            bench.write("Numbers", options.csv, ResultCsv.of(search.runs()));
        }
        if (options.plots != null) {
            HtmlReport.writePlots(Map.of(metric, chart, "cpu-per-record", cpu), options.plots);
            bench.say("Plots: " + options.plots);
        }
        if (options.report != null) {
            HtmlPage page = new HtmlPage("BlobShuffle: " + metric + " of " + workloadName)
                    .figure(chart)
                    .figure(cpu)
                    .heading("Where, and the command")
                    .preformatted(bench.command());
            environment.forEach((name, value) -> page.paragraph(name + ": " + value));
            bench.write("Report with plots", options.report, page.html());
        }
    }

    private Map<String, Object> found(boolean isDemand, Map.Entry<String, Map<Long, OptionalLong>> one) {
        List<Map<String, Object>> steps = new ArrayList<>();
        one.getValue().forEach((from, to) -> {
            Map<String, Object> step = new LinkedHashMap<>();
            step.put(isDemand ? LOAD : "instances", from);
            step.put(isDemand ? "instances" : LOAD, to.isPresent() ? to.getAsLong() : null);
            steps.add(step);
        });
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("variant", one.getKey());
        json.put(metric, steps);
        return json;
    }
}
