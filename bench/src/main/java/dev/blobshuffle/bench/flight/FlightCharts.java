package dev.blobshuffle.bench.flight;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.flight.FlightPlan.Cell;
import dev.blobshuffle.bench.report.Spread;
import dev.blobshuffle.cli.chart.Axis;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.Series;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
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

    /**
     * The plots of the cost of serving, by their names.
     *
     * @param json the numbers, as {@link FlightRunner#serve} writes them
     */
    public static Map<String, Chart> ofServing(Path json) throws IOException {
        JsonNode cells = new ObjectMapper().readTree(json.toFile());
        Map<String, Chart> charts = new LinkedHashMap<>();
        charts.put("serving-server-cpu", serving(cells, "CPU time of the server", "server_per_gb"));
        charts.put("serving-client-cpu", serving(cells, "CPU time of the client", "client_per_gb"));
        return charts;
    }

    private static Chart serving(JsonNode cells, String title, String field) {
        Set<String> codecs = new LinkedHashSet<>();
        Map<String, List<JsonNode>> bySystem = new LinkedHashMap<>();
        for (JsonNode cell : cells) {
            codecs.add(cell.path("codec").asText());
            bySystem.computeIfAbsent(cell.path("system").asText(), system -> new ArrayList<>())
                    .add(cell);
        }
        List<String> names = List.copyOf(codecs);
        List<Series> all = new ArrayList<>();
        bySystem.forEach((system, own) -> {
            List<Series.Point> points = own.stream()
                    .map(cell -> servingPoint(cell, names, system, field))
                    .toList();
            all.add(new Series(system, Series.Form.BARS, points, OptionalInt.of(all.size())));
        });
        return new Chart(title, Axis.of("codec", names), Axis.linear("seconds per GB"), all);
    }

    private static Series.Point servingPoint(JsonNode cell, List<String> codecs, String system, String field) {
        JsonNode spread = cell.path(field); // median, least, most
        String codec = cell.path("codec").asText();
        String number = String.format(Locale.ROOT, "%.2f", spread.path(0).asDouble());
        return new Series.Point(
                codecs.indexOf(codec),
                spread.path(0).asDouble(),
                spread.path(1).asDouble(),
                spread.path(2).asDouble(),
                system + " " + codec + ": " + number,
                number);
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
