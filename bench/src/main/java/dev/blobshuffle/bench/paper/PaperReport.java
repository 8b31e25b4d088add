package dev.blobshuffle.bench.paper;

import dev.blobshuffle.cli.chart.HtmlPage;
import dev.blobshuffle.planner.LatencyProfile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The evaluation as text, JSON and a page.
 *
 * @param evaluation the evaluation
 * @param rows its rows
 */
public record PaperReport(PaperEvaluation evaluation, List<FigureRow> rows) {
    private static final List<String> COLUMNS = List.of(
            "latency_p50_seconds",
            "latency_p95_seconds",
            "latency_p99_seconds",
            "put_p50_seconds",
            "get_p50_seconds",
            "puts_per_second",
            "gets_per_put",
            "notifications_per_second",
            "fill",
            "s3_usd_per_hour",
            "compute_usd_per_hour",
            "total_usd_per_hour",
            "throughput_limit_gib_per_second");

    /** Copies the rows. */
    public PaperReport {
        rows = List.copyOf(rows);
    }

    /** A report of everything. */
    public static PaperReport of(PaperEvaluation evaluation) {
        return new PaperReport(evaluation, evaluation.rows());
    }

    /** Every number in the paper's text, beside ours. */
    public String deviations() {
        StringBuilder text =
                new StringBuilder("| figure | at | number | paper | here | deviation |\n|---|---|---|---|---|---|\n");
        for (FigureRow row : rows) {
            row.paper()
                    .ifPresent(number -> text.append(String.format(
                            Locale.ROOT,
                            "| %d | %s | `%s` | %s | %s | %+.1f %% |%n",
                            row.figure(),
                            number(row.value()) + " " + row.parameter(),
                            row.metric(),
                            number(number),
                            number(row.measured()),
                            100 * row.deviation().orElse(0.0))));
        }
        return text.toString();
    }

    /** The main numbers of a figure. */
    public String table(Figure figure) {
        List<String> columns = COLUMNS.stream()
                .filter(column -> rows.stream()
                        .anyMatch(row ->
                                row.figure() == figure.number() && row.metric().equals(column)))
                .toList();
        StringBuilder text = new StringBuilder("| store | layout | " + figure.unit() + " |");
        columns.forEach(column -> text.append(' ').append(heading(column)).append(" |"));
        text.append("\n|---|---|---|").append("---|".repeat(columns.size())).append('\n');
        Map<String, Map<String, Double>> lines = new LinkedHashMap<>();
        for (FigureRow row : rows) {
            if (row.figure() == figure.number()) {
                lines.computeIfAbsent(
                                "| " + row.profile() + " | " + row.layout().label() + " | " + number(row.value())
                                        + " |",
                                line -> new LinkedHashMap<>())
                        .put(row.metric(), row.measured());
            }
        }
        lines.forEach((line, metrics) -> {
            text.append(line);
            columns.forEach(column -> text.append(' ')
                    .append(number(metrics.getOrDefault(column, Double.NaN)))
                    .append(" |"));
            text.append('\n');
        });
        return text.toString();
    }

    private static String heading(String column) {
        return column.replace("_per_second", "/s")
                .replace("_usd_per_hour", ", USD/h")
                .replace("_seconds", ", s")
                .replace("throughput_limit_gib/s", "limit, GiB/s")
                .replace('_', ' ');
    }

    /** Which layout is cheaper at equal p95, by size. */
    public String equalLatency() {
        List<EqualLatency> all = EqualLatency.of(rows);
        if (all.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder(
                "| store | paper's MiB | p95, s | paper's layout, USD/h | ours, USD/h | which | ratio |\n|---|---|---|---|---|---|---|\n");
        for (EqualLatency each : all) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %s | %s | %s | %s | %s |%n",
                    each.profile(),
                    number(each.mebibytes()),
                    number(each.p95Seconds()),
                    number(each.paperUsd()),
                    each.ours().map(offer -> number(offer.usd())).orElse("not reached"),
                    each.ours().map(offer -> offer.layout().label()).orElse(""),
                    each.ratio().map(PaperReport::number).orElse("")));
        }
        return text.toString();
    }

    /** Everything as text. */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (Figure figure : evaluation.plan().figures()) {
            text.append("Figure ")
                    .append(figure.number())
                    .append(": ")
                    .append(figure.title())
                    .append("\n\n")
                    .append(table(figure))
                    .append('\n');
        }
        text.append("The paper's numbers\n\n").append(deviations());
        String equal = equalLatency();
        if (!equal.isEmpty()) {
            text.append("\nS3's price at equal p95\n\n").append(equal);
        }
        return text.toString();
    }

    /** Everything as JSON, without the environment. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("batches", evaluation.plan().batches());
        parameters.put("seed", evaluation.plan().seed());
        parameters.put(
                "profiles",
                evaluation.plan().profiles().stream()
                        .map(LatencyProfile::toString)
                        .toList());
        parameters.put("fitted_to", PublishedNumber.FITTED);
        json.put("parameters", parameters);
        json.put("cpu", evaluation.cpu().map(CpuCost::asJson).orElse(null));
        json.put("rows", rows.stream().map(FigureRow::asJson).toList());
        json.put(
                "equal_latency",
                EqualLatency.of(rows).stream().map(EqualLatency::asJson).toList());
        return json;
    }

    /**
     * A self-contained page.
     *
     * @param command the command that repeats it
     * @param environment the machine and build that it ran on
     */
    public String html(String command, Map<String, Object> environment) {
        PaperCharts charts = new PaperCharts(evaluation, rows);
        HtmlPage page = new HtmlPage("The BlobShuffle paper's figures in virtual time")
                .paragraph("Lines are the real engine under virtual time; discs are the paper's own numbers.");
        for (Figure figure : evaluation.plan().figures()) {
            page.heading("Figure " + figure.number() + ": " + figure.title());
            charts.panels(figure).values().forEach(page::figure);
            page.preformatted(table(figure));
        }
        page.heading("The paper's numbers").preformatted(deviations());
        page.heading("S3's price at equal p95").preformatted(equalLatency());
        List<List<String>> where = new ArrayList<>();
        environment.forEach((name, value) -> where.add(List.of(name, String.valueOf(value))));
        return page.heading("Where, and the command")
                .preformatted(command)
                .table(List.of("", ""), where)
                .html();
    }

    static String number(double number) {
        if (!Double.isFinite(number)) {
            return "";
        }
        if (number == Math.rint(number) || Math.abs(number) >= 1000) {
            return Long.toString(Math.round(number));
        }
        return String.format(Locale.ROOT, number >= 100 ? "%.0f" : number >= 10 ? "%.1f" : "%.2f", number);
    }
}
