package dev.blobshuffle.bench.calls;

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

/**
 * The plots of the rows: the time series of Table 2, with the averages that the Thulawa paper
 * reports for its Figures 4.2 to 4.7, and the cost of batches of a key. Stateless.
 */
public final class CallCharts {
    private static final String TABLE = "table-2-";
    private static final String BATCH = "batch-";

    /** The paper's averages, in records per second. */
    private record Published(double kafkaStreams, double thulawa) {}

    /** By the latency of a call in milliseconds (section 4.2, Table 2). */
    private static final Map<Integer, Published> PUBLISHED =
            Map.of(5, new Published(210, 210), 20, new Published(39, 211), 250, new Published(4, 143));

    private CallCharts() {}

    /** The plots by their names; those without rows are left out. */
    public static Map<String, Chart> of(List<CallResult> results) {
        Map<String, Chart> charts = new LinkedHashMap<>();
        List<CallResult> table = results.stream()
                .filter(result -> result.cell().name().startsWith(TABLE))
                .toList();
        table.stream()
                .map(result -> result.cell().latencyMillis())
                .distinct()
                .forEach(latency -> charts.put("calls-throughput-" + latency + "ms", throughput(table, latency)));
        charts.put(
                "calls-latency",
                series("Median latency of a second", Axis.logarithmic("ms"), table, CallSample::medianMillis));
        charts.put("calls-queue", series("Records that wait", Axis.linear("records"), table, CallSample::queue));
        List<CallResult> batches = results.stream()
                .filter(result -> result.cell().name().startsWith(BATCH))
                .toList();
        charts.put("calls-batch-cpu", batchCpu(batches));
        charts.values().removeIf(Chart::isEmpty);
        return charts;
    }

    private static Chart throughput(List<CallResult> table, int latency) {
        List<Series> all = new ArrayList<>();
        double end = 0;
        for (CallResult result : table) {
            if (result.cell().latencyMillis() == latency) {
                all.add(line(result, result.cell().variant().label(), CallSample::perSecond));
                end = Math.max(
                        end, result.samples().get(result.samples().size() - 1).second());
            }
        }
        Published published = PUBLISHED.get(latency);
        if (published != null) {
            all.add(constant("paper, Kafka Streams", published.kafkaStreams(), end));
            all.add(constant("paper, Thulawa", published.thulawa(), end));
        }
        return new Chart(
                "Calls of " + latency + " ms, 215 records offered per second",
                Axis.linear("seconds"),
                Axis.linear("results per second"),
                all);
    }

    private static Series constant(String name, double value, double end) {
        return new Series(
                name, Series.Form.LINE, List.of(Series.Point.of(0, value, name), Series.Point.of(end, value, name)));
    }

    private static Chart series(String title, Axis axis, List<CallResult> table, ToDoubleFunction<CallSample> number) {
        List<Series> all = new ArrayList<>();
        for (CallResult result : table) {
            String name = result.cell().variant().label() + ", " + result.cell().latencyMillis() + " ms";
            all.add(line(result, name, number));
        }
        return new Chart(title, Axis.linear("seconds"), axis, all);
    }

    private static Series line(CallResult result, String name, ToDoubleFunction<CallSample> number) {
        List<Series.Point> points = new ArrayList<>();
        for (CallSample sample : result.samples()) {
            points.add(Series.Point.of(sample.second(), number.applyAsDouble(sample), name));
        }
        return new Series(name, Series.Form.LINE, points);
    }

    private static Chart batchCpu(List<CallResult> batches) {
        return new Chart(
                "CPU time of a record in batches, calls of 20 ms",
                Axis.of("row, records per call", categories(batches)),
                Axis.linear("microseconds"),
                List.of(
                        bars("application and load", batches, CallResult::applicationMicros, 0),
                        bars("service", batches, CallResult::serviceMicros, 1)));
    }

    private static List<String> categories(List<CallResult> batches) {
        return batches.stream()
                .map(result ->
                        String.format(Locale.ROOT, "%s: %.1f", result.cell().name(), result.recordsPerCall()))
                .toList();
    }

    private static Series bars(String name, List<CallResult> results, ToDoubleFunction<CallResult> number, int colour) {
        List<Series.Point> points = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            double value = number.applyAsDouble(results.get(i));
            String text = String.format(Locale.ROOT, "%.0f", value);
            points.add(new Series.Point(i, value, value, value, name + ": " + text, text));
        }
        return new Series(name, Series.Form.BARS, points, OptionalInt.of(colour));
    }
}
