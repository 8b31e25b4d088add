package dev.blobshuffle.bench.flight;

import dev.blobshuffle.bench.flight.FlightPlan.Cell;
import dev.blobshuffle.bench.report.Spread;
import dev.blobshuffle.cli.chart.Axis;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.Series;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;

/** The plots of the runs: one bar for each system, by partitions and codec. Stateless. */
public final class FlightCharts {
    private static final double BYTES_PER_MB = 1e6;

    private FlightCharts() {}

    /** The plots by their names. */
    public static Map<String, Chart> of(FlightReport report) {
        Map<String, Chart> charts = new LinkedHashMap<>();
        charts.put("cpu", chart(report, "CPU time of all processes", "seconds", FlightResult::cpuSeconds));
        charts.put("wall", chart(report, "Time from scan to result", "seconds", FlightResult::wallSeconds));
        charts.put(
                "memory", chart(report, "Peak memory of all processes", "MB", run -> run.memoryBytes() / BYTES_PER_MB));
        charts.put("disk", chart(report, "Bytes on disk", "MB", run -> run.diskBytes() / BYTES_PER_MB));
        return charts;
    }

    private static Chart chart(FlightReport report, String title, String unit, ToDoubleFunction<FlightResult> number) {
        FlightPlan plan = report.plan();
        List<String> names = new ArrayList<>();
        for (int partitions : plan.partitions()) {
            plan.codecs().forEach(codec -> names.add("N=" + partitions + " " + codec));
        }
        List<Series> all = new ArrayList<>();
        for (FlightSystem system : plan.systems()) {
            List<Series.Point> points = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                int partitions = plan.partitions().get(i / plan.codecs().size());
                Cell cell = new Cell(
                        system, partitions, plan.codecs().get(i % plan.codecs().size()));
                points.add(point(i, report.spread(cell, number), system.title() + " " + names.get(i)));
            }
            all.add(new Series(system.title(), Series.Form.BARS, points, OptionalInt.of(system.ordinal())));
        }
        return new Chart(title, Axis.of("partitions, codec", names), Axis.linear(unit), all);
    }

    private static Series.Point point(int x, Spread spread, String name) {
        String number = String.format(Locale.ROOT, spread.median() < 100 ? "%.1f" : "%.0f", spread.median());
        return new Series.Point(x, spread.median(), spread.min(), spread.max(), name + ": " + number, number);
    }
}
