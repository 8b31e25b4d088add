package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.bench.report.HtmlReport;
import dev.blobshuffle.bench.report.ResultCsv;
import dev.blobshuffle.bench.run.BenchPlan;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Session;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.bench.search.DemandChart;
import dev.blobshuffle.bench.search.Objectives;
import dev.blobshuffle.bench.search.ScalabilitySearch;
import dev.blobshuffle.bench.search.Strategy;
import dev.blobshuffle.bench.search.TheodoliteFiles;
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
    @picocli.CommandLine.Parameters(index = "0", defaultValue = "uc3", description = "What to run.")
    private String workloadName;

    @Mixin
    private RunOptions options;

    @Option(names = "--loads", split = ",", required = true, description = "Records per second to try.")
    private List<Long> loads;

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

    @Option(names = "--slo-dropped", defaultValue = "0.001", description = "Allowed share of updates dropped.")
    private double droppedShare;

    @Option(names = "--slo-p95", description = "Allowed p95 latency, milliseconds.")
    private @Nullable Double p95Millis;

    @Option(names = "--theodolite", description = "Directory for results in Theodolite's files.")
    private @Nullable Path theodolite;

    @Spec
    private CommandSpec spec;

    private final List<RunResult> allRuns = new ArrayList<>();

    @Override
    public Integer call() throws InterruptedException {
        Bench bench = new Bench(spec.commandLine(), options);
        BenchWorkload workload;
        List<Variant> variants;
        Strategy strategy;
        Parameters base;
        try {
            workload = Workloads.named(workloadName);
            variants = options.variants.stream().map(Variant::named).toList();
            strategy = Strategy.named(strategyName);
            base = options.parameters(Parameters.defaults()).with("rate", Long.toString(loads.get(0)));
            if (loads.stream().anyMatch(load -> load < 1) || instances.stream().anyMatch(number -> number < 1)) {
                throw new IllegalArgumentException("Cannot search loads " + loads + " with instances " + instances
                        + ": one is less than 1. Give 1 or more.");
            }
            if (!metric.equals("demand") && !metric.equals("capacity")) {
                throw new IllegalArgumentException(
                        "Cannot search for " + metric + ": there is no such metric. Give demand or capacity.");
            }
            bench.plan(workload, variants, List.of(Cell.only(base)), options.memory, options.memory);
        } catch (IllegalArgumentException e) {
            throw bench.invalid(String.valueOf(e.getMessage()));
        }
        bench.checkMachine();
        Map<String, Object> environment = Environment.asJson();
        try {
            Map<String, Map<Long, OptionalLong>> found = bench.inDirectories((files, memory) -> {
                BenchPlan plan = bench.plan(workload, variants, List.of(Cell.only(base)), files, memory);
                return search(bench, plan, base, strategy);
            });
            print(found);
            write(bench, workload, found, environment);
            return 0;
        } catch (IOException | UncheckedIOException | IllegalStateException e) {
            return bench.failed(e);
        }
    }

    private Map<String, Map<Long, OptionalLong>> search(Bench bench, BenchPlan plan, Parameters base, Strategy strategy)
            throws IOException, InterruptedException {
        Map<String, Map<Long, OptionalLong>> found = new LinkedHashMap<>();
        Objectives objectives = new Objectives(
                lagShare, droppedShare, p95Millis == null ? OptionalDouble.empty() : OptionalDouble.of(p95Millis));
        ScalabilitySearch.Restriction restriction =
                hasLowerBound ? ScalabilitySearch.Restriction.LOWER_BOUND : ScalabilitySearch.Restriction.NONE;
        bench.say("Replication " + base.text(Parameter.REPLICATION) + ": starting "
                + base.text(Parameter.REPLICATION) + " broker(s); each experiment takes "
                + (base.number(Parameter.WARM_UP_SECONDS) + base.number(Parameter.SECONDS))
                + " s and what comes before and after");
        try (Session session = Session.open(plan, base.count(Parameter.REPLICATION), bench::say)) {
            for (Variant variant : plan.variants()) {
                Optional<TheodoliteFiles> files =
                        theodolite == null ? Optional.empty() : Optional.of(TheodoliteFiles.open(theodolite));
                if (files.isPresent()) {
                    files.get().writeConfiguration(configuration(plan, variant), execution());
                    bench.say("Theodolite's experiment " + files.get().id() + " is " + variant.label());
                }
                ScalabilitySearch search = new ScalabilitySearch(
                        loads,
                        instances,
                        strategy,
                        (load, number) -> holds(bench, session, base, variant, objectives, files, load, number));
                Map<Long, OptionalLong> result = isDemand() ? search.demand(restriction) : search.capacity(restriction);
                if (files.isPresent() && isDemand()) {
                    files.get().writeDemand(result);
                } else if (files.isPresent()) {
                    files.get().writeCapacity(result);
                }
                search.oddities().forEach(odd -> bench.say("  odd: " + variant.label() + ", " + odd));
                found.put(variant.label(), result);
            }
        }
        return found;
    }

    private boolean holds(
            Bench bench,
            Session session,
            Parameters base,
            Variant variant,
            Objectives objectives,
            Optional<TheodoliteFiles> files,
            long load,
            long number)
            throws IOException, InterruptedException {
        Parameters parameters = base.with(Parameter.RATE, load).with(Parameter.INSTANCES, number);
        Map<String, String> varied = new LinkedHashMap<>();
        varied.put(Parameter.RATE.label(), Long.toString(load));
        varied.put(Parameter.INSTANCES.label(), Long.toString(number));
        List<RunResult> runs = new ArrayList<>();
        for (int repetition = 0; repetition < options.repetitions; repetition++) {
            RunResult run = session.run(new Cell(varied, parameters), variant, repetition);
            runs.add(run);
            allRuns.add(run);
            if (files.isPresent()) {
                files.get().writeIndicator(load, number, run);
            }
        }
        Optional<String> violation = objectives.violation(runs, load);
        files.ifPresent(some -> some.add(load, number, violation.isEmpty()));
        bench.say("  " + variant.label() + ", " + load + " records/s, " + number + " instance(s): "
                + violation.map(text -> "no, " + text).orElse("yes"));
        return violation.isEmpty();
    }

    private static Map<String, Object> configuration(BenchPlan plan, Variant variant) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", "blobshuffle-" + plan.workload().name() + "-" + variant.label());
        json.put("parameters", plan.cells().get(0).parameters().asJson());
        return json;
    }

    private Map<String, Object> execution() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("metric", metric);
        json.put("strategy", strategyName);
        json.put("restriction", hasLowerBound ? "LowerBound" : "none");
        json.put("loads", loads);
        json.put("resources", instances);
        json.put("repetitions", options.repetitions);
        return json;
    }

    private boolean isDemand() {
        return metric.equals("demand");
    }

    private void print(Map<String, Map<Long, OptionalLong>> found) {
        PrintWriter out = spec.commandLine().getOut();
        out.println();
        out.println(
                isDemand() ? "Demand: instances by records per second" : "Capacity: records per second by instances");
        found.forEach((variant, steps) -> {
            out.printf("%-13s", variant);
            steps.forEach((one, other) ->
                    out.printf("  %d: %s", one, other.isPresent() ? Long.toString(other.getAsLong()) : "none"));
            out.println();
        });
        out.flush();
    }

    /** Writes the files that the options ask for. */
    private void write(
            Bench bench,
            BenchWorkload workload,
            Map<String, Map<Long, OptionalLong>> found,
            Map<String, Object> environment)
            throws IOException {
        Chart chart = isDemand()
                ? DemandChart.of("Demand", "records per second", "instances", found)
                : DemandChart.of("Capacity", "instances", "records per second", found);
        if (options.json != null) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("environment", environment);
            json.put("search", execution());
            json.put("found", found.entrySet().stream().map(this::found).toList());
            json.put("runs", allRuns.stream().map(RunResult::asJson).toList());
            bench.write("Numbers", options.json, Json.write(json));
        }
        if (options.csv != null) {
            bench.write("Numbers", options.csv, ResultCsv.of(allRuns));
        }
        if (options.plots != null) {
            HtmlReport.writePlots(Map.of(metric, chart), options.plots);
            bench.say("Plots: " + options.plots);
        }
        if (options.report != null) {
            HtmlPage page = new HtmlPage("BlobShuffle: " + metric + " of " + workload.name())
                    .figure(chart)
                    .heading("Where, and the command")
                    .preformatted(bench.command());
            environment.forEach((name, value) -> page.paragraph(name + ": " + value));
            bench.write("Report with plots", options.report, page.html());
        }
    }

    private Map<String, Object> found(Map.Entry<String, Map<Long, OptionalLong>> variant) {
        List<Map<String, Object>> steps = new ArrayList<>();
        variant.getValue().forEach((one, other) -> {
            Map<String, Object> step = new LinkedHashMap<>();
            step.put(isDemand() ? "records_per_second" : "instances", one);
            step.put(isDemand() ? "instances" : "records_per_second", other.isPresent() ? other.getAsLong() : null);
            steps.add(step);
        });
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("variant", variant.getKey());
        json.put(metric, steps);
        return json;
    }
}
