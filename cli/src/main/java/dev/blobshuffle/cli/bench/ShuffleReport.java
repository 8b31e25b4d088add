package dev.blobshuffle.cli.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The runs of one cluster, compared. A ratio is the median over the repetitions of ratios within one repetition, whose runs were next to each other in time.
 *
 * @param replication the replication factor of the shuffle's topics
 */
record ShuffleReport(int replication, List<Variant> variants, List<RunResult> runs) {
    ShuffleReport {
        variants = List.copyOf(variants);
        runs = List.copyOf(runs);
    }

    boolean isVerified() {
        return runs.stream().allMatch(RunResult::verified);
    }

    String table() {
        StringBuilder text = new StringBuilder();
        text.append("Replication ").append(replication).append(", medians; CPU in seconds per GiB, compilers apart\n");
        text.append(String.format(
                Locale.ROOT,
                "%-13s %9s %8s %8s %8s %9s  %-22s %-22s%n",
                "variant",
                "krec/s",
                "app",
                "brokers",
                "all",
                "compilers",
                "x native: rate cpu app",
                "x tuned: rate cpu app"));
        for (Variant variant : variants) {
            text.append(String.format(
                    Locale.ROOT,
                    "%-13s %9.1f %8.2f %8.2f %8.2f %9.2f  %-22s %-22s%n",
                    variant.label(),
                    median(variant, RunResult::recordsPerSecond) / 1000,
                    median(variant, RunResult::applicationCpu),
                    median(variant, RunResult::brokerCpu),
                    median(variant, RunResult::allCpu),
                    median(variant, RunResult::compilerCpu),
                    ratios(variant, Variant.NATIVE),
                    ratios(variant, Variant.NATIVE_TUNED)));
        }
        return text.toString();
    }

    private String ratios(Variant variant, Variant reference) {
        return variants.contains(reference)
                ? String.format(
                        Locale.ROOT,
                        "%.2f  %.2f  %.2f",
                        ratio(variant, reference, RunResult::recordsPerSecond),
                        ratio(variant, reference, RunResult::allCpu),
                        ratio(variant, reference, RunResult::applicationCpu))
                : "";
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("replication", replication);
        Map<String, Object> summary = new LinkedHashMap<>();
        for (Variant variant : variants) {
            Map<String, Object> numbers = new LinkedHashMap<>();
            numbers.put("records_per_second", median(variant, RunResult::recordsPerSecond));
            numbers.put("application_cpu_seconds_per_gib", median(variant, RunResult::applicationCpu));
            numbers.put("brokers_cpu_seconds_per_gib", median(variant, RunResult::brokerCpu));
            numbers.put("compilers_cpu_seconds_per_gib", median(variant, RunResult::compilerCpu));
            for (Variant reference : List.of(Variant.NATIVE, Variant.NATIVE_TUNED)) {
                if (variants.contains(reference)) {
                    numbers.put("ratio_to_" + reference.label().replace('-', '_'), ratiosAsJson(variant, reference));
                }
            }
            summary.put(variant.label(), numbers);
        }
        json.put("variants", summary);
        json.put("runs", runs.stream().map(RunResult::asJson).toList());
        return json;
    }

    private Map<String, Object> ratiosAsJson(Variant variant, Variant reference) {
        Map<String, Object> ratios = new LinkedHashMap<>();
        ratios.put("throughput", ratio(variant, reference, RunResult::recordsPerSecond));
        ratios.put("cpu", ratio(variant, reference, RunResult::allCpu));
        ratios.put("cpu_with_compilers", ratio(variant, reference, RunResult::allCpuWithCompilers));
        ratios.put("application_cpu", ratio(variant, reference, RunResult::applicationCpu));
        return ratios;
    }

    private double median(Variant variant, ToDoubleFunction<RunResult> number) {
        return median(runs.stream()
                .filter(run -> run.variant() == variant)
                .map(number::applyAsDouble)
                .toList());
    }

    double ratio(Variant variant, Variant reference, ToDoubleFunction<RunResult> number) {
        List<Double> ratios = new ArrayList<>();
        for (RunResult run : runs) {
            if (run.variant() == variant) {
                runs.stream()
                        .filter(other -> other.variant() == reference && other.repetition() == run.repetition())
                        .forEach(other -> ratios.add(number.applyAsDouble(run) / number.applyAsDouble(other)));
            }
        }
        return median(ratios);
    }

    private static double median(List<Double> numbers) {
        List<Double> sorted = numbers.stream().sorted().toList();
        int size = sorted.size();
        return size == 0 ? Double.NaN : (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
    }
}
