package dev.blobshuffle.bench.report;

import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Variant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The runs of a plan, compared within each cell. The repetitions are {@link Rounds}.
 *
 * @param variants in the order in which they are shown
 * @param runs all runs
 */
public record Comparison(List<Variant> variants, List<RunResult> runs) {
    private static final List<Variant> REFERENCES = List.of(Variant.NATIVE, Variant.NATIVE_TUNED);

    /** Copies the lists. */
    public Comparison {
        variants = List.copyOf(variants);
        runs = List.copyOf(runs);
    }

    /** Whether the output of every run matches its input exactly. */
    public boolean isVerified() {
        return runs.stream().allMatch(RunResult::verified);
    }

    /** The cells in the order in which they first ran, sorted as the plan has them. */
    public List<Cell> cells() {
        LinkedHashSet<Cell> cells = new LinkedHashSet<>();
        runs.forEach(run -> cells.add(run.cell()));
        return List.copyOf(cells);
    }

    /** The runs of a variant in a cell. */
    List<RunResult> runs(Cell cell, Variant variant) {
        return runs.stream()
                .filter(run -> run.variant() == variant && run.cell().equals(cell))
                .toList();
    }

    private Rounds<RunResult> rounds(Cell cell, Variant variant) {
        return new Rounds<>(runs(cell, variant), RunResult::repetition);
    }

    /** The spread of a number over the repetitions. */
    Spread spread(Cell cell, Variant variant, ToDoubleFunction<RunResult> number) {
        return rounds(cell, variant).spread(number);
    }

    /** The spread over the repetitions of the ratio of two variants within a repetition. */
    Spread ratio(Cell cell, Variant variant, Variant reference, ToDoubleFunction<RunResult> number) {
        return rounds(cell, variant).ratio(rounds(cell, reference), number);
    }

    /** The references that are among the variants. */
    List<Variant> references() {
        return REFERENCES.stream().filter(variants::contains).toList();
    }

    /** The numbers for which ratios are computed, by name. */
    static Map<String, ToDoubleFunction<RunResult>> compared() {
        Map<String, ToDoubleFunction<RunResult>> numbers = new LinkedHashMap<>();
        numbers.put("throughput", RunResult::bytesPerSecond);
        numbers.put("cpu", RunResult::allCpu);
        numbers.put("cpu_with_compilers", RunResult::allCpuWithCompilers);
        numbers.put("application_cpu", RunResult::applicationCpu);
        numbers.put("brokers_cpu", RunResult::brokerCpu);
        numbers.put("latency_p50", run -> run.latencyMillis(50).orElse(Double.NaN));
        numbers.put("latency_p95", run -> run.latencyMillis(95).orElse(Double.NaN));
        numbers.put("latency_p99", run -> run.latencyMillis(99).orElse(Double.NaN));
        numbers.put(
                "shuffle_broker_bytes",
                run -> run.counter("shuffle-broker-bytes")
                        / Math.max(1, run.bytesPerSecond() * run.window().seconds()));
        return numbers;
    }

    /** The results as JSON: {@code runs} and {@code ratios}. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("runs", runs.stream().map(RunResult::asJson).toList());
        List<Map<String, Object>> ratios = new ArrayList<>();
        for (Cell cell : cells()) {
            for (Variant variant : variants) {
                for (Variant reference : references()) {
                    if (variant != reference) {
                        ratios.add(ratiosAsJson(cell, variant, reference));
                    }
                }
            }
        }
        json.put("ratios", ratios);
        return json;
    }

    private Map<String, Object> ratiosAsJson(Cell cell, Variant variant, Variant reference) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("workload", runs.get(0).workload());
        json.put("varied", new LinkedHashMap<>(cell.varied()));
        json.put("variant", variant.label());
        json.put("reference", reference.label());
        compared().forEach((name, number) -> {
            Spread spread = ratio(cell, variant, reference, number);
            if (Double.isFinite(spread.median())) {
                json.put(name, spread.asJson());
            }
        });
        return json;
    }
}
