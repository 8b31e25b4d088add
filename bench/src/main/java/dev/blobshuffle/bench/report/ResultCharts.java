package dev.blobshuffle.bench.report;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Sample;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.bench.workload.RecordProbe;
import dev.blobshuffle.cli.chart.Axis;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.Series;
import dev.blobshuffle.core.settings.ByteSize;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * The plots of results: bars over cells, latencies as curves, cost against latency. If one
 * parameter was varied, they are the panels of the paper's Figures 6 to 10 over this parameter.
 * Immutable.
 */
final class ResultCharts {
    private static final double BYTES_PER_GIB = 1 << 30;
    private static final double BYTES_PER_MIB = 1 << 20;
    private static final int MOST_CURVES = 8;
    private static final Histogram NOTHING = RecordProbe.histogram();

    private final Comparison comparison;
    private final List<Cell> cells;
    private final Axis cellAxis;

    private ResultCharts(Comparison comparison) {
        this.comparison = comparison;
        cells = comparison.cells().stream()
                .sorted((one, other) -> compare(one.label(), other.label()))
                .toList();
        List<String> names = new ArrayList<>();
        cells.forEach(cell -> names.add(cell.varied().size() == 1 ? cell.values() : cell.label()));
        LinkedHashSet<String> varied = new LinkedHashSet<>();
        cells.forEach(cell -> varied.addAll(cell.varied().keySet()));
        cellAxis = Axis.of(String.join(", ", varied), names);
    }

    /**
     * Plots that belong together.
     *
     * @param heading above them
     * @param charts by names that are valid file names
     */
    record Group(String heading, Map<String, Chart> charts) {}

    /** The plots in groups; empty plots and groups are left out. */
    static List<Group> groups(Comparison comparison) {
        ResultCharts all = new ResultCharts(comparison);
        List<Group> groups = new ArrayList<>(List.of(
                new Group("Throughput and CPU", all.throughput()),
                new Group("Latency (as in the paper's Figure 6)", all.latencies()),
                new Group("Cost (as in the paper's Figures 7 and 8)", all.costs()),
                new Group("Blobs, notifications and reads (as in the paper's Figures 7 and 9)", all.traffic())));
        groups.forEach(group -> group.charts.values().removeIf(Chart::isEmpty));
        groups.removeIf(group -> group.charts.isEmpty());
        return groups;
    }

    /** All plots by names that are valid file names. */
    static Map<String, Chart> of(Comparison comparison) {
        Map<String, Chart> charts = new LinkedHashMap<>();
        groups(comparison).forEach(group -> charts.putAll(group.charts));
        return charts;
    }

    private Map<String, Chart> throughput() {
        Map<String, Chart> charts = new LinkedHashMap<>();
        charts.put("throughput", bars("Throughput", "MiB/s", run -> run.bytesPerSecond() / BYTES_PER_MIB));
        charts.put(
                "throughput-per-instance",
                bars(
                        "Throughput of an instance",
                        "MiB/s",
                        run -> run.bytesPerSecond()
                                / BYTES_PER_MIB
                                / run.cell().parameters().number(Parameter.INSTANCES)));
        charts.put("cpu", bars("CPU of application and brokers", "CPU-s per GiB", RunResult::allCpu));
        charts.put("cpu-application", bars("CPU of the application", "CPU-s per GiB", RunResult::applicationCpu));
        charts.put("backlog", backlog());
        return charts;
    }

    private Map<String, Chart> latencies() {
        Map<String, Chart> charts = new LinkedHashMap<>();
        charts.put(
                "latency-distribution",
                distribution(
                        "Latency of the shuffle, all records",
                        comparison.variants(),
                        run -> run.latencyMillis(50).isPresent() ? run.latencies() : NOTHING));
        charts.put("put-distribution", distribution("Latency of PUT requests", blobs(), RunResult::putLatencies));
        charts.put("get-distribution", distribution("Latency of GET requests", blobs(), RunResult::getLatencies));
        for (double percent : new double[] {50, 95, 99}) {
            charts.put(
                    "latency-p" + Math.round(percent),
                    bars(
                            "Latency, p" + Math.round(percent),
                            "ms",
                            run -> run.latencyMillis(percent).orElse(Double.NaN)));
        }
        return charts;
    }

    private Map<String, Chart> costs() {
        Map<String, Chart> charts = new LinkedHashMap<>();
        charts.put("cost-latency", costAgainstLatency());
        charts.put(
                "cost",
                blobBars(
                        "S3 at 1 GiB/s, from counted requests",
                        "USD per hour",
                        run -> run.s3UsdPerHour().orElse(Double.NaN)));
        charts.put("puts", blobBars("PUT requests", "per GiB", run -> run.counter("puts") / gibibytes(run)));
        charts.put("gets", blobBars("GET requests", "per GiB", run -> run.counter("gets") / gibibytes(run)));
        return charts;
    }

    private Map<String, Chart> traffic() {
        Map<String, Chart> charts = new LinkedHashMap<>();
        charts.put(
                "blob-size",
                blobBars(
                        "Mean size of a blob",
                        "MiB",
                        run -> run.counter("blob-bytes-stored") / run.counter("blobs-stored") / BYTES_PER_MIB));
        charts.put("blob-fill", blobBars("Size of a blob, of the most", "%", ResultCharts::fillPercent));
        charts.put(
                "notifications",
                blobBars("Notifications", "per second", run -> perSecond(run, run.counter("notifications-sent"))));
        charts.put(
                "cache-reads",
                blobBars("Reads that a cache answered", "per second", run -> perSecond(run, run.cacheReads())));
        charts.put(
                "broker-bytes",
                bars(
                        "Through the brokers",
                        "MiB per GiB",
                        run -> run.counter("shuffle-broker-bytes") / gibibytes(run) / BYTES_PER_MIB));
        return charts;
    }

    private static double gibibytes(RunResult run) {
        return run.window().bytes() / BYTES_PER_GIB;
    }

    private static double perSecond(RunResult run, double count) {
        return count / run.window().seconds();
    }

    /** Fill of blobs in percent; NaN if the run did not set their size. */
    private static double fillPercent(RunResult run) {
        String most = run.cell().parameters().blobSettings().get("blobshuffle.batch.max.bytes");
        return most == null
                ? Double.NaN
                : 100
                        * run.counter("blob-bytes-stored")
                        / run.counter("blobs-stored")
                        / ByteSize.parse(most).bytes();
    }

    /** Compares numbers by value, and other text by its letters. */
    private static int compare(String one, String other) {
        String digits = "[^0-9.]+";
        String a = one.replaceAll(digits, "");
        String b = other.replaceAll(digits, "");
        boolean areNumbers = a.matches("[0-9]+(\\.[0-9]+)?") && b.matches("[0-9]+(\\.[0-9]+)?");
        return areNumbers && one.replaceAll("[0-9.]+", "").equals(other.replaceAll("[0-9.]+", ""))
                ? Double.compare(Double.parseDouble(a), Double.parseDouble(b))
                : 0;
    }

    private Chart bars(String title, String unit, ToDoubleFunction<RunResult> number) {
        return new Chart(title, cellAxis, Axis.linear(unit), series(comparison.variants(), number));
    }

    private Chart blobBars(String title, String unit, ToDoubleFunction<RunResult> number) {
        return new Chart(title, cellAxis, Axis.linear(unit), series(blobs(), number));
    }

    private List<Variant> blobs() {
        return comparison.variants().stream().filter(Variant::hasBlobs).toList();
    }

    private List<Series> series(List<Variant> variants, ToDoubleFunction<RunResult> number) {
        List<Series> all = new ArrayList<>();
        for (Variant variant : variants) {
            List<Series.Point> points = new ArrayList<>();
            for (int i = 0; i < cells.size(); i++) {
                Spread spread = comparison.spread(cells.get(i), variant, number);
                points.add(new Series.Point(
                        i,
                        spread.median(),
                        spread.min(),
                        spread.max(),
                        text(
                                "%s %s: %.3g (%.3g to %.3g)",
                                variant.label(), cells.get(i).label(), spread),
                        number(spread.median())));
            }
            all.add(new Series(variant.label(), Series.Form.BARS, points, colour(variant)));
        }
        return all;
    }

    /** The colour of a variant, the same in every plot. */
    private static OptionalInt colour(Variant variant) {
        return OptionalInt.of(variant.ordinal());
    }

    /** Formats a number with three digits, or more before the point. */
    private static String number(double number) {
        if (!Double.isFinite(number)) {
            return "";
        }
        return Math.abs(number) >= 1000
                ? Long.toString(Math.round(number))
                : new BigDecimal(number, new MathContext(3))
                        .stripTrailingZeros()
                        .toPlainString();
    }

    private static String text(String format, String variant, String cell, Spread spread) {
        return String.format(Locale.ROOT, format, variant, cell, spread.median(), spread.min(), spread.max());
    }

    /**
     * The share of requests or records whose latency a time does not exceed, all repetitions
     * together.
     */
    private Chart distribution(String title, List<Variant> variants, Function<RunResult, Histogram> latencies) {
        List<Series> curves = new ArrayList<>();
        for (Cell cell : cells) {
            for (Variant variant : variants) {
                Histogram sum = RecordProbe.histogram();
                comparison.runs(cell, variant).forEach(run -> sum.add(latencies.apply(run)));
                if (sum.getTotalCount() > 0 && curves.size() < MOST_CURVES) {
                    String name = cells.size() == 1 ? variant.label() : variant.label() + " " + cell.label();
                    curves.add(curve(name, sum, cells.size() == 1 ? colour(variant) : OptionalInt.empty()));
                }
            }
        }
        return new Chart(
                title, Axis.logarithmic("latency, milliseconds"), Axis.linear("% of all take at most so long"), curves);
    }

    private static Series curve(String name, Histogram histogram, OptionalInt colour) {
        List<Series.Point> points = new ArrayList<>();
        for (double percent = 1; percent < 100; percent += percent < 99 ? 1 : 0.1) {
            double millis = Math.max(0.1, histogram.getValueAtPercentile(percent) / 1000.0);
            points.add(Series.Point.of(millis, percent, name));
        }
        return new Series(name, Series.Form.LINE, points, colour);
    }

    private Chart costAgainstLatency() {
        List<Series> all = new ArrayList<>();
        for (Variant variant : blobs()) {
            List<Series.Point> points = new ArrayList<>();
            for (Cell cell : cells) {
                double usd = comparison
                        .spread(cell, variant, run -> run.s3UsdPerHour().orElse(Double.NaN))
                        .median();
                double p95 = comparison
                        .spread(cell, variant, run -> run.latencyMillis(95).orElse(Double.NaN))
                        .median();
                points.add(new Series.Point(
                        p95,
                        usd,
                        usd,
                        usd,
                        String.format(Locale.ROOT, "%s p95 %.0f ms, %.3g USD/h", cell.label(), p95, usd),
                        cell.values()));
            }
            all.add(new Series(variant.label(), Series.Form.DISCS, points, colour(variant)));
        }
        return new Chart(
                "Cost against latency: S3 at 1 GiB/s, from counted requests"
                        + (cellAxis.title().isEmpty() ? "" : ", by " + cellAxis.title()),
                Axis.logarithmic("p95, milliseconds"),
                Axis.logarithmic("USD per hour"),
                all);
    }

    /** The backlog over time in the last repetition. Only for runs with a rate. */
    private Chart backlog() {
        List<Series> all = new ArrayList<>();
        for (Cell cell : cells) {
            for (Variant variant : comparison.variants()) {
                List<RunResult> runs = comparison.runs(cell, variant);
                if (cell.parameters().hasRate() && !runs.isEmpty() && all.size() < MOST_CURVES) {
                    List<Series.Point> points = new ArrayList<>();
                    for (Sample sample : runs.get(runs.size() - 1).samples()) {
                        points.add(Series.Point.of(sample.seconds(), sample.backlog(), variant.label()));
                    }
                    all.add(new Series(
                            variant.label() + (cells.size() == 1 ? "" : " " + cell.label()),
                            Series.Form.LINE,
                            points,
                            cells.size() == 1 ? colour(variant) : OptionalInt.empty()));
                }
            }
        }
        return new Chart("Backlog", Axis.linear("seconds"), Axis.linear("records"), all);
    }
}
