package dev.blobshuffle.bench.report;

import dev.blobshuffle.bench.chart.Axis;
import dev.blobshuffle.bench.chart.Chart;
import dev.blobshuffle.bench.chart.Series;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Sample;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.bench.workload.Probe;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** The plots of results: bars over cells, latencies as curves, cost against latency, and, where one parameter was varied, the panels of the paper's Figures 6 to 10 over it. Stateless. */
final class ResultCharts {
    private static final double BYTES_PER_GIB = 1 << 30;
    private static final int MOST_CURVES = 8;

    private final Comparison comparison;
    private final List<Cell> cells;
    private final Axis cellAxis;

    private ResultCharts(Comparison comparison) {
        this.comparison = comparison;
        cells = comparison.cells().stream()
                .sorted((one, other) -> compare(one.label(), other.label()))
                .toList();
        List<String> names = new ArrayList<>();
        cells.forEach(cell -> names.add(
                cell.varied().size() == 1 ? cell.varied().values().iterator().next() : cell.label()));
        LinkedHashSet<String> varied = new LinkedHashSet<>();
        cells.forEach(cell -> varied.addAll(cell.varied().keySet()));
        cellAxis = Axis.of(String.join(", ", varied), names);
    }

    /** The plots by a name that suits a file; those with nothing to show are left out. */
    static Map<String, Chart> of(Comparison comparison) {
        Map<String, Chart> charts = new LinkedHashMap<>();
        ResultCharts all = new ResultCharts(comparison);
        charts.put("throughput", all.bars("Throughput", "MiB/s", run -> run.bytesPerSecond() / (1 << 20)));
        charts.put("cpu", all.bars("CPU of application and brokers", "CPU-s per GiB", RunResult::allCpu));
        charts.put("cpu-application", all.bars("CPU of the application", "CPU-s per GiB", RunResult::applicationCpu));
        charts.put("latency-distribution", all.distribution());
        for (double percent : new double[] {50, 95, 99}) {
            charts.put(
                    "latency-p" + Math.round(percent),
                    all.bars(
                            "Latency, p" + Math.round(percent),
                            "ms",
                            run -> run.latencyMillis(percent).orElse(Double.NaN)));
        }
        charts.put("cost-latency", all.costAgainstLatency());
        charts.put(
                "cost",
                all.blobBars(
                        "S3 at 1 GiB/s, from counted requests",
                        "USD per hour",
                        run -> run.s3UsdPerHour().orElse(Double.NaN)));
        charts.put("requests", all.requests());
        charts.put(
                "blob-size",
                all.blobBars(
                        "Mean size of a blob",
                        "MiB",
                        run -> run.counter("blob-bytes-stored") / run.counter("blobs-stored") / (1 << 20)));
        charts.put(
                "broker-bytes",
                all.bars(
                        "Through the brokers",
                        "MiB per GiB",
                        run -> run.counter("shuffle-broker-bytes")
                                / (run.window().bytes() / BYTES_PER_GIB)
                                / (1 << 20)));
        charts.put("backlog", all.backlog());
        charts.values().removeIf(Chart::isEmpty);
        return charts;
    }

    /** Numbers by their value, and other text by its letters. */
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
                                variant.label(), cells.get(i).label(), spread)));
            }
            all.add(new Series(variant.label(), Series.Form.BARS, points));
        }
        return all;
    }

    private static String text(String format, String variant, String cell, Spread spread) {
        return String.format(Locale.ROOT, format, variant, cell, spread.median(), spread.min(), spread.max());
    }

    /** Figure 6: the share of records whose latency a time does not exceed, all repetitions together. */
    private Chart distribution() {
        List<Series> curves = new ArrayList<>();
        for (Cell cell : cells) {
            for (Variant variant : comparison.variants()) {
                Histogram sum = Probe.histogram();
                comparison.runs(cell, variant).stream()
                        .filter(run -> run.latencyMillis(50).isPresent())
                        .forEach(run -> sum.add(run.latencies()));
                if (sum.getTotalCount() > 0 && curves.size() < MOST_CURVES) {
                    List<Series.Point> points = new ArrayList<>();
                    for (double percent = 0; percent < 100; percent += percent < 99 ? 1 : 0.1) {
                        double millis = Math.max(0.1, sum.getValueAtPercentile(percent) / 1000.0);
                        points.add(Series.Point.of(millis, percent, variant.label()));
                    }
                    String name = cells.size() == 1 ? variant.label() : variant.label() + " " + cell.label();
                    curves.add(new Series(name, Series.Form.LINE, points));
                }
            }
        }
        return new Chart(
                "Latency of the shuffle, all records",
                Axis.logarithmic("milliseconds"),
                Axis.linear("% of records"),
                curves);
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
                points.add(Series.Point.of(
                        p95, usd, String.format(Locale.ROOT, "%s p95 %.0f ms, %.3g USD/h", cell.label(), p95, usd)));
            }
            all.add(new Series(variant.label(), Series.Form.DISCS, points));
        }
        return new Chart(
                "Cost against latency: S3 at 1 GiB/s, from counted requests",
                Axis.logarithmic("p95, milliseconds"),
                Axis.logarithmic("USD per hour"),
                all);
    }

    private Chart requests() {
        List<Series> all = new ArrayList<>();
        for (String request : List.of("puts", "gets")) {
            for (Series one :
                    series(blobs(), run -> run.counter(request) / (run.window().bytes() / BYTES_PER_GIB))) {
                all.add(new Series(one.name() + " " + request, one.form(), one.points()));
            }
        }
        return new Chart("Requests to the store", cellAxis, Axis.linear("per GiB"), all);
    }

    /** Of the last repetition, with a rate only. */
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
                            variant.label() + (cells.size() == 1 ? "" : " " + cell.label()), Series.Form.LINE, points));
                }
            }
        }
        return new Chart("Backlog", Axis.linear("seconds"), Axis.linear("records"), all);
    }
}
