package dev.blobshuffle.bench.report;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Variant;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Results as text for a terminal, a table for each cell. Stateless. */
public final class ResultTable {
    private ResultTable() {}

    /** The tables of all cells. */
    public static String of(Comparison comparison) {
        StringBuilder text = new StringBuilder();
        for (Cell cell : comparison.cells()) {
            append(text, comparison, cell);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, Comparison comparison, Cell cell) {
        String label = cell.label().isEmpty() ? comparison.runs().get(0).workload() : cell.label();
        text.append(label).append(": medians; CPU in seconds per GiB, compilers apart\n");
        text.append(String.format(
                Locale.ROOT,
                "%-13s %4s %8s %8s %8s %8s %9s %8s %8s  %-22s %-22s%n",
                "variant",
                "runs",
                "krec/s",
                "app",
                "brokers",
                "all",
                "compilers",
                "p50 ms",
                "p95 ms",
                "x native: rate cpu app",
                "x tuned: rate cpu app"));
        for (Variant variant : comparison.variants()) {
            text.append(
                    comparison.runs(cell, variant).isEmpty()
                            ? String.format(Locale.ROOT, "%-13s    0 left out%n", variant.label())
                            : line(comparison, cell, variant));
        }
        comparison.variants().stream()
                .filter(variant -> variant == Variant.BLOBS_S3)
                .forEach(variant -> text.append(cost(comparison, cell, variant)));
        long shaky = comparison.runs().stream()
                .filter(run -> run.cell().equals(cell) && !run.isSteady())
                .count();
        if (shaky > 0) {
            text.append("not steady: in ")
                    .append(shaky)
                    .append(" run(s) throughput went up or down by more than a tenth; measure longer\n");
        }
        text.append('\n');
    }

    private static String line(Comparison comparison, Cell cell, Variant variant) {
        return String.format(
                Locale.ROOT,
                "%-13s %4d %8s %8s %8s %8s %9s %8s %8s  %-22s %-22s%n",
                variant.label(),
                comparison.runs(cell, variant).size(),
                number("%.1f", median(comparison, cell, variant, run -> run.recordsPerSecond() / 1000)),
                number("%.2f", median(comparison, cell, variant, RunResult::applicationCpu)),
                number("%.2f", median(comparison, cell, variant, RunResult::brokerCpu)),
                number("%.2f", median(comparison, cell, variant, RunResult::allCpu)),
                number("%.2f", median(comparison, cell, variant, RunResult::compilerCpu)),
                latency(comparison, cell, variant, 50),
                latency(comparison, cell, variant, 95),
                ratios(comparison, cell, variant, Variant.NATIVE),
                ratios(comparison, cell, variant, Variant.NATIVE_TUNED));
    }

    /**
     * The price of the requests, and the load on an instance. Prices at different loads are not
     * comparable.
     */
    private static String cost(Comparison comparison, Cell cell, Variant variant) {
        double usd = median(comparison, cell, variant, run -> run.s3UsdPerHour().orElse(Double.NaN));
        double scale = cell.parameters().decimal(Parameter.STORE_SCALE);
        double mebibytes = median(comparison, cell, variant, RunResult::bytesPerSecond)
                / (1 << 20)
                / cell.parameters().number(Parameter.INSTANCES);
        return !Double.isFinite(usd)
                ? ""
                : String.format(
                        Locale.ROOT,
                        "%s: %.2f USD per hour on S3 at 1 GiB/s, by its requests at %.1f MiB/s per instance%s%n",
                        variant.label(),
                        usd,
                        mebibytes * scale,
                        scale == 1
                                ? ""
                                : String.format(
                                        Locale.ROOT,
                                        ", for which the measured %.1f stand (store-scale=%s)",
                                        mebibytes,
                                        cell.parameters().text(Parameter.STORE_SCALE)));
    }

    private static String number(String format, double number) {
        return Double.isFinite(number) ? String.format(Locale.ROOT, format, number) : "-";
    }

    private static String latency(Comparison comparison, Cell cell, Variant variant, double percent) {
        return number(
                "%.1f",
                median(
                        comparison,
                        cell,
                        variant,
                        run -> run.latencyMillis(percent).orElse(Double.NaN)));
    }

    private static String ratios(Comparison comparison, Cell cell, Variant variant, Variant reference) {
        if (comparison.runs(cell, reference).isEmpty()) {
            return "";
        }
        return number("%.2f", ratio(comparison, cell, variant, reference, RunResult::bytesPerSecond)) + "  "
                + number("%.2f", ratio(comparison, cell, variant, reference, RunResult::allCpu)) + "  "
                + number("%.2f", ratio(comparison, cell, variant, reference, RunResult::applicationCpu));
    }

    private static double median(
            Comparison comparison, Cell cell, Variant variant, ToDoubleFunction<RunResult> number) {
        return comparison.spread(cell, variant, number).median();
    }

    private static double ratio(
            Comparison comparison, Cell cell, Variant variant, Variant reference, ToDoubleFunction<RunResult> number) {
        return comparison.ratio(cell, variant, reference, number).median();
    }
}
