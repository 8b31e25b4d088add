package dev.blobshuffle.bench.paper;

import dev.blobshuffle.cli.chart.Axis;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.Series;
import dev.blobshuffle.planner.LatencyProfile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import org.HdrHistogram.Histogram;

/**
 * The figures as plots in the paper's form: lines show our measurements, and discs show the paper's
 * numbers. Immutable.
 */
public final class PaperCharts {
    private static final int[] COLOURS = {0, 1, 2, 3, 5, 6};
    private static final int PAPER_COLOUR = 4;
    private static final int NATIVE_COLOUR = 7;
    private static final String PUBLISHED = "the paper's numbers";

    private final PaperEvaluation evaluation;
    private final List<FigureRow> rows;

    /** @param rows of the evaluation */
    public PaperCharts(PaperEvaluation evaluation, List<FigureRow> rows) {
        this.evaluation = evaluation;
        this.rows = List.copyOf(rows);
    }

    /** The panels of a figure, by names that are valid file names. */
    public Map<String, Chart> panels(Figure figure) {
        Map<String, Chart> panels = switch (figure.number()) {
            case 6 -> distributions(figure);
            case 7 -> sizes(figure);
            case 8 -> costs(figure);
            case 9 -> partitions(figure);
            default -> instances(figure);
        };
        panels.values().removeIf(Chart::isEmpty);
        return panels;
    }

    /** All panels of a figure in one SVG, two in a row. */
    public String svg(Figure figure) {
        return ChartGrid.svg(new ArrayList<>(panels(figure).values()));
    }

    private Map<String, Chart> distributions(Figure figure) {
        Map<String, Chart> panels = new LinkedHashMap<>();
        panels.put("shuffle", distribution(figure, "Latency of the shuffle", "latency"));
        panels.put("put", distribution(figure, "Latency of PUT requests", "put"));
        panels.put("get", distribution(figure, "Latency of GET requests", "get"));
        return panels;
    }

    private Chart distribution(Figure figure, String title, String of) {
        List<Series> curves = new ArrayList<>();
        double value = figure.values().get(0);
        for (LatencyProfile profile : evaluation.plan().profiles()) {
            for (Layout layout : Layout.values()) {
                ClusterResult result = evaluation.result(profile, figure, layout, value);
                Histogram histogram = switch (of) {
                    case "put" -> result.puts();
                    case "get" -> result.gets();
                    default -> result.latency();
                };
                List<Series.Point> points = new ArrayList<>();
                for (double percent = 1; percent < 100; percent += percent < 99 ? 1 : 0.1) {
                    points.add(Series.Point.of(
                            Math.max(1e-3, ClusterResult.seconds(histogram, percent)),
                            percent,
                            label(profile, layout)));
                }
                curves.add(new Series(label(profile, layout), Series.Form.LINE, points, colour(profile, layout)));
            }
        }
        List<Series.Point> published = new ArrayList<>();
        for (int percent : hasPapersStore() ? new int[] {50, 95, 99} : new int[0]) {
            PublishedNumber.of(figure.number(), value, of + "_p" + percent + "_seconds")
                    .ifPresent(seconds -> published.add(labelled(seconds, percent, seconds + " s")));
        }
        addPublished(curves, published);
        return new Chart(title, Axis.logarithmic("seconds"), Axis.linear("% of all take at most so long"), curves);
    }

    private Map<String, Chart> sizes(Figure figure) {
        Map<String, Chart> panels = new LinkedHashMap<>();
        panels.put("a-throughput", over(figure, "(a) Limit of throughput", "GiB/s", "throughput_limit_gib_per_second"));
        panels.put("b-node", over(figure, "(b) Limit per node", "MiB/s", "throughput_limit_mib_per_second_node"));
        panels.put("c-latency", over(figure, "(c) p95 of the latency", "seconds", "latency_p95_seconds"));
        panels.put("d-puts", over(figure, "(d) PUT requests", "per second", "puts_per_second"));
        panels.put("e-gets", over(figure, "(e) GET requests", "per second", "gets_per_second"));
        panels.put("f-ratio", over(figure, "(f) GET requests per PUT", "", "gets_per_put"));
        panels.put("g-fill", over(figure, "(g) Size of a blob, of its aim", "", "fill"));
        panels.put("h-s3", over(figure, "(h) S3 at 1 GiB/s", "USD per hour", "s3_usd_per_hour"));
        panels.put("i-compute", over(figure, "(i) EC2 at 1 GiB/s", "USD per hour", "compute_usd_per_hour"));
        return panels;
    }

    private Map<String, Chart> partitions(Figure figure) {
        Map<String, Chart> panels = new LinkedHashMap<>();
        panels.put("a-throughput", over(figure, "(a) Limit of throughput", "GiB/s", "throughput_limit_gib_per_second"));
        panels.put("b-latency", over(figure, "(b) p95 of the latency", "seconds", "latency_p95_seconds"));
        panels.put("c-reads", over(figure, "(c) Reads of caches", "per second", "cache_reads_per_second"));
        return panels;
    }

    private Map<String, Chart> instances(Figure figure) {
        Map<String, Chart> panels = new LinkedHashMap<>();
        panels.put("a-throughput", over(figure, "(a) Limit of throughput", "GiB/s", "throughput_limit_gib_per_second"));
        panels.put("b-node", over(figure, "(b) Limit per node", "MiB/s", "throughput_limit_mib_per_second_node"));
        panels.put("c-latency", over(figure, "(c) p95 of the latency", "seconds", "latency_p95_seconds"));
        return panels;
    }

    /** A metric over the figure's parameter. */
    private Chart over(Figure figure, String title, String unit, String metric) {
        List<Series> lines = new ArrayList<>();
        List<Series.Point> published = new ArrayList<>();
        for (LatencyProfile profile : evaluation.plan().profiles()) {
            for (Layout layout : Layout.values()) {
                List<Series.Point> points = new ArrayList<>();
                for (FigureRow row : rows) {
                    if (isOf(row, figure, profile, layout) && row.metric().equals(metric)) {
                        points.add(Series.Point.of(
                                row.value(), row.measured(), text(row.value()) + ": " + text(row.measured())));
                        row.paper().ifPresent(number -> addOnce(published, row.value(), number));
                    }
                }
                if (!points.isEmpty()) {
                    lines.add(new Series(label(profile, layout), Series.Form.MARKED, points, colour(profile, layout)));
                }
            }
        }
        addPublished(lines, published);
        boolean isBySize = figure.parameter().equals("mebibytes");
        boolean isSteep = metric.startsWith("s3_usd")
                || metric.startsWith("puts")
                || metric.startsWith("gets_per_s")
                || isBySize && metric.startsWith("latency");
        return new Chart(
                title,
                isBySize ? Axis.logarithmic(figure.unit()) : Axis.linear(figure.unit()),
                isSteep ? Axis.logarithmic(unit) : Axis.linear(unit),
                lines);
    }

    /** Figure 8, by store: S3 and nodes, or S3 alone if processor times are unknown. */
    private Map<String, Chart> costs(Figure figure) {
        Map<String, Chart> panels = new LinkedHashMap<>();
        evaluation.plan().profiles().forEach(profile -> panels.put(profile.name(), costs(figure, profile)));
        return panels;
    }

    private Chart costs(Figure figure, LatencyProfile profile) {
        boolean hasTotal = evaluation.cpu().isPresent();
        String metric = hasTotal ? "total_usd_per_hour" : "s3_usd_per_hour";
        List<Series> all = new ArrayList<>();
        double fastest = Double.MAX_VALUE;
        double slowest = 0;
        for (Layout layout : Layout.values()) {
            List<Series.Point> points = new ArrayList<>();
            for (double value : figure.values(layout)) {
                double p95 = number(figure, profile, layout, value, "latency_p95_seconds");
                double usd = number(figure, profile, layout, value, metric);
                points.add(labelled(p95, usd, text(value)));
                fastest = Math.min(fastest, p95);
                slowest = Math.max(slowest, p95);
            }
            all.add(new Series(label(profile, layout), Series.Form.MARKED, points, colour(profile, layout)));
        }
        double natively = PaperPrices.natively();
        all.add(new Series(
                "native Kafka's traffic",
                Series.Form.LINE,
                List.of(Series.Point.of(fastest, natively, "native"), Series.Point.of(slowest, natively, "native")),
                OptionalInt.of(NATIVE_COLOUR)));
        if (hasTotal && profile.equals(LatencyProfile.S3_PAPER_REQUESTS)) {
            addPublished(all, List.of(labelled(1.73, 4.46, "16")));
        }
        return new Chart(
                "Cost at 1 GiB/s against p95, by MiB per batch: " + (hasTotal ? "S3 and EC2" : "S3 alone"),
                Axis.logarithmic("p95, seconds"),
                Axis.logarithmic("USD per hour"),
                all);
    }

    private double number(Figure figure, LatencyProfile profile, Layout layout, double value, String metric) {
        return rows.stream()
                .filter(row -> isOf(row, figure, profile, layout)
                        && row.value() == value
                        && row.metric().equals(metric))
                .mapToDouble(FigureRow::measured)
                .findFirst()
                .orElse(Double.NaN);
    }

    private static boolean isOf(FigureRow row, Figure figure, LatencyProfile profile, Layout layout) {
        return row.figure() == figure.number() && row.profile().equals(profile.name()) && row.layout() == layout;
    }

    /** Equal neighbours share a label. */
    private static void addOnce(List<Series.Point> published, double value, double number) {
        boolean isAgain =
                !published.isEmpty() && published.get(published.size() - 1).y() == number;
        published.add(labelled(value, number, isAgain ? "" : text(number)));
    }

    private boolean hasPapersStore() {
        return evaluation.plan().profiles().contains(LatencyProfile.S3_PAPER_REQUESTS);
    }

    private static void addPublished(List<Series> all, List<Series.Point> points) {
        if (!points.isEmpty()) {
            all.add(new Series(PUBLISHED, Series.Form.DISCS, points, OptionalInt.of(PAPER_COLOUR)));
        }
    }

    private static Series.Point labelled(double x, double y, String label) {
        return new Series.Point(x, y, y, y, label, label);
    }

    private static String label(LatencyProfile profile, Layout layout) {
        String name = layout == Layout.PAPER ? "paper's layout" : layout.label().replace('-', ' ');
        return name + ", " + profile.name();
    }

    private OptionalInt colour(LatencyProfile profile, Layout layout) {
        int at = evaluation.plan().profiles().indexOf(profile);
        return OptionalInt.of(COLOURS[(at * Layout.values().length + layout.ordinal()) % COLOURS.length]);
    }

    private static String text(double number) {
        return String.format(Locale.ROOT, number >= 100 ? "%.0f" : "%.3g", number)
                .replaceAll("\\.0+$", "");
    }
}
