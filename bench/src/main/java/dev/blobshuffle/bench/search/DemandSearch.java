package dev.blobshuffle.bench.search;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.run.BenchPlan;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Testbed;
import dev.blobshuffle.bench.run.Variant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Searches with each variant and each cell of a plan, one after the other on the same brokers. Used
 * once. Owned by one thread.
 */
public final class DemandSearch {
    private final BenchPlan plan;
    private final SearchSettings settings;
    private final Optional<Path> theodolite;
    private final Testbed.Opening opening;
    private final Consumer<String> progress;
    private final List<RunResult> runs = new ArrayList<>();
    private final List<Verdict> verdicts = new ArrayList<>();
    private final CpuPerRecord cpu = new CpuPerRecord();

    /**
     * @param theodolite a directory for results in Theodolite's files
     * @param opening opens the testbed of the runs
     * @param progress is called line by line
     */
    public DemandSearch(
            BenchPlan plan,
            SearchSettings settings,
            Optional<Path> theodolite,
            Testbed.Opening opening,
            Consumer<String> progress) {
        this.plan = plan;
        this.settings = settings;
        this.theodolite = theodolite;
        this.opening = opening;
        this.progress = progress;
    }

    /**
     * Runs the searches. Returns for each variant and cell the instances of each load, or the load
     * of each number of instances.
     */
    public Map<String, Map<Long, OptionalLong>> run() throws IOException, InterruptedException {
        Map<String, Map<Long, OptionalLong>> found = new LinkedHashMap<>();
        Parameters base = plan.cells().get(0).parameters();
        progress.accept("Replication " + base.text(Parameter.REPLICATION) + ": starting "
                + base.text(Parameter.REPLICATION) + " broker(s); each experiment takes "
                + (base.number(Parameter.WARM_UP_SECONDS) + base.number(Parameter.SECONDS))
                + " s and what comes before and after");
        try (Testbed testbed = opening.open(plan, base.count(Parameter.REPLICATION), progress)) {
            warmUp(testbed);
            for (Cell cell : plan.cells()) {
                for (Variant variant : plan.variants()) {
                    found.put(name(variant, cell), search(testbed, cell, variant));
                }
            }
        }
        return found;
    }

    /**
     * Warms up the brokers; the results do not count. The largest load may be too high, so a
     * problem is reported and does not end the search.
     */
    private void warmUp(Testbed testbed) throws IOException, InterruptedException {
        Cell first = plan.cells().get(0);
        long load = Collections.max(settings.loads());
        for (Variant variant : plan.variants()) {
            testbed.runUnmeasured(at(first, load, settings.instances().get(0)), variant)
                    .problem()
                    .ifPresent(problem -> progress.accept("  " + problem));
        }
    }

    /** All runs that count, in their order. */
    public List<RunResult> runs() {
        return runs;
    }

    /** The verdict on each load and number of instances, in the order of the runs. */
    public List<Verdict> verdicts() {
        return verdicts;
    }

    /** The CPU time of a record in these runs. */
    public CpuPerRecord cpu() {
        return cpu;
    }

    private static String name(Variant variant, Cell cell) {
        return variant.label()
                + cell.varied().values().stream().map(value -> ", " + value).collect(Collectors.joining());
    }

    private Map<Long, OptionalLong> search(Testbed testbed, Cell cell, Variant variant)
            throws IOException, InterruptedException {
        Optional<TheodoliteFiles> files =
                theodolite.isEmpty() ? Optional.empty() : Optional.of(TheodoliteFiles.open(theodolite.get()));
        if (files.isPresent()) {
            files.get().writeConfiguration(configuration(variant, cell), settings.asJson());
            progress.accept("Theodolite's experiment " + files.get().id() + " is " + name(variant, cell));
        }
        ScalabilitySearch search = new ScalabilitySearch(
                settings.loads(),
                settings.instances(),
                settings.strategy(),
                (load, number) -> holds(testbed, cell, variant, files, load, number));
        Map<Long, OptionalLong> result =
                settings.isDemand() ? search.demand(settings.restriction()) : search.capacity(settings.restriction());
        if (files.isPresent() && settings.isDemand()) {
            files.get().writeDemand(result);
        } else if (files.isPresent()) {
            files.get().writeCapacity(result);
        }
        search.oddities().forEach(odd -> progress.accept("  odd: " + name(variant, cell) + ", " + odd));
        return result;
    }

    private boolean holds(
            Testbed testbed, Cell cell, Variant variant, Optional<TheodoliteFiles> files, long load, long number)
            throws IOException, InterruptedException {
        LoadKind kind = settings.kind();
        Cell here = at(cell, load, number);
        List<RunResult> repeated = new ArrayList<>();
        for (int repetition = 0; repetition < settings.repetitions(); repetition++) {
            RunResult run = testbed.run(here, variant, repetition);
            repeated.add(run);
            if (files.isPresent()) {
                files.get().writeIndicator(load, number, run);
            }
        }
        runs.addAll(repeated);
        cpu.add(variant, cell, load, number, repeated);
        Optional<String> violation = settings.objectives().violation(repeated, kind.recordsPerSecond(load));
        verdicts.add(new Verdict(name(variant, cell), load, number, violation));
        files.ifPresent(some -> some.add(load, number, violation.isEmpty()));
        progress.accept("  " + name(variant, cell) + ", " + load + " " + kind.unit() + ", " + number + " instance(s): "
                + violation.map(text -> "no, " + text).orElse("yes"));
        return violation.isEmpty();
    }

    private Cell at(Cell cell, long load, long instances) {
        Map<String, String> varied = new LinkedHashMap<>(cell.varied());
        varied.put(settings.kind().unit(), Long.toString(load));
        varied.put(Parameter.INSTANCES.label(), Long.toString(instances));
        return new Cell(varied, settings.kind().over(cell.parameters(), load).with(Parameter.INSTANCES, instances));
    }

    private Map<String, Object> configuration(Variant variant, Cell cell) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", "blobshuffle-" + plan.workload().name() + "-" + variant.label());
        json.put("parameters", cell.parameters().asJson());
        return json;
    }
}
