package dev.blobshuffle.bench.search;

import dev.blobshuffle.bench.report.Spread;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.cli.chart.Axis;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.Series;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The CPU time of a record, by variant, options and load. It shows the difference of options on
 * machines that are too small for their demand to differ. Microseconds of application and brokers,
 * without compilers. Owned by one thread.
 */
public final class CpuPerRecord {
    private static final double MICROS = 1e6;

    private final Map<Measured, List<Double>> times = new LinkedHashMap<>();

    /**
     * The key of runs that are measured together.
     *
     * @param variant its label
     * @param options values of the cell; the number of instances if it has none, or if there are
     *     several
     * @param load in the unit of the search
     */
    private record Measured(String variant, String options, long load) {
        String name() {
            return variant + ", " + options;
        }
    }

    /** Adds runs of one load on some instances. Runs with wrong output do not count. */
    public void add(Variant variant, Cell cell, long load, long instances, List<RunResult> runs) {
        List<String> options = new ArrayList<>(cell.varied().values());
        if (instances > 1 || options.isEmpty()) {
            options.add(instances + (instances == 1 ? " instance" : " instances"));
        }
        List<Double> some = times.computeIfAbsent(
                new Measured(variant.label(), String.join(", ", options), load), key -> new ArrayList<>());
        runs.stream().filter(RunResult::verified).forEach(run -> some.add(micros(run)));
    }

    private static double micros(RunResult run) {
        double seconds =
                run.window().application().work() + run.window().brokers().work();
        return MICROS * seconds / Math.max(1, run.window().records());
    }

    /** A line for each key: the median, and the least and most if there are several runs. */
    public List<String> lines() {
        Map<String, StringBuilder> lines = new LinkedHashMap<>();
        times.forEach((measured, micros) -> lines.computeIfAbsent(
                        measured.name(), name -> new StringBuilder(String.format(Locale.ROOT, "%-36s", name)))
                .append("  ")
                .append(measured.load)
                .append(": ")
                .append(micros.isEmpty() ? "none" : text(Spread.of(micros))));
        return lines.values().stream().map(StringBuilder::toString).toList();
    }

    private static String text(Spread spread) {
        return String.format(Locale.ROOT, "%.0f (%.0f-%.0f)", spread.median(), spread.min(), spread.max());
    }

    /**
     * The same as bars, with whiskers from the least to the most. The bars are over options if
     * there are some, otherwise over loads.
     *
     * @param unit of the loads
     */
    public Chart chart(String unit) {
        boolean areByLoad =
                times.keySet().stream().map(Measured::options).distinct().count() == 1;
        List<String> categories = times.keySet().stream()
                .map(one -> areByLoad ? Long.toString(one.load) : one.options)
                .distinct()
                .toList();
        Map<String, List<Series.Point>> bars = new LinkedHashMap<>();
        times.forEach((measured, micros) -> {
            Spread spread = Spread.of(micros);
            String category = areByLoad ? Long.toString(measured.load) : measured.options;
            String name = areByLoad ? measured.variant : measured.variant + ", " + measured.load + " " + unit;
            bars.computeIfAbsent(name, key -> new ArrayList<>())
                    .add(new Series.Point(
                            categories.indexOf(category),
                            spread.median(),
                            spread.min(),
                            spread.max(),
                            name + ", " + category + ": " + text(spread),
                            String.format(Locale.ROOT, "%.0f", spread.median())));
        });
        List<Series> series = new ArrayList<>();
        bars.forEach((name, points) -> series.add(new Series(name, Series.Form.BARS, points)));
        return new Chart(
                "CPU time of application and brokers",
                Axis.of(areByLoad ? unit : "", categories),
                Axis.linear("microseconds per record"),
                series);
    }
}
