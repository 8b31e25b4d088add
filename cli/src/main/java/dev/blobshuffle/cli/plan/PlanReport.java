package dev.blobshuffle.cli.plan;

import dev.blobshuffle.core.plan.Estimate;
import dev.blobshuffle.core.plan.Latencies;
import dev.blobshuffle.core.plan.Plan;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** A plan as one HTML page that needs nothing else: verdict, costs, a plot of cost against latency, settings. Stateless. */
final class PlanReport {
    private PlanReport() {}

    static String html(Plan plan) {
        StringBuilder html = new StringBuilder();
        html.append(
                        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>BlobShuffle plan</title>\n")
                .append(
                        "<style>body{font:15px/1.5 system-ui,sans-serif;max-width:760px;margin:2em auto;padding:0 1em;color:#222}")
                .append(
                        "table{border-collapse:collapse;width:100%}td,th{padding:.3em .6em;border-bottom:1px solid #ddd;text-align:right}")
                .append(
                        "td:first-child,th:first-child{text-align:left}pre{background:#f6f6f6;padding:1em;white-space:pre-wrap}")
                .append(
                        "svg text{font:12px system-ui,sans-serif;fill:#444}</style></head><body>\n<h1>BlobShuffle plan</h1>\n");
        paragraph(html, PlanTable.headline(plan));
        paragraph(html, PlanTable.sources(plan));
        plan.findings().forEach(finding -> paragraph(html, finding));
        html.append("<h2>Costs</h2>\n");
        appendCosts(html, plan);
        html.append("<h2>Latency</h2>\n");
        appendLatencies(html, plan);
        html.append("<h2>Cost against latency</h2>\n");
        paragraph(
                html,
                "Settings that no others beat in both; hover for their values. Dollars per hour with compute, by the p95 of the shuffle; both axes logarithmic.");
        html.append(new FrontierPlot(plan).svg());
        html.append("<h2>Settings</h2>\n<pre>")
                .append(escape(PlanTable.properties(plan)))
                .append("</pre>\n</body></html>\n");
        return html.toString();
    }

    private static void appendCosts(StringBuilder html, Plan plan) {
        html.append("<table><tr><th></th><th>USD per hour</th><th></th></tr>\n");
        for (PlanTable.CostLine line : PlanTable.costLines(plan)) {
            appendRow(html, line.name(), PlanTable.usd(line.usdPerHour()), line.remark());
        }
        html.append("</table>\n");
    }

    private static void appendLatencies(StringBuilder html, Plan plan) {
        html.append("<table><tr><th></th><th>p50</th><th>p95</th><th>p99</th><th>USD per hour</th></tr>\n");
        appendEstimate(html, "recommended", plan.recommended());
        for (Plan.Alternative alternative : plan.alternatives()) {
            appendEstimate(html, alternative.name(), alternative.estimate());
        }
        html.append("</table>\n");
    }

    private static void appendEstimate(StringBuilder html, String name, Estimate estimate) {
        Latencies latencies = estimate.latencies();
        appendRow(
                html,
                name,
                PlanTable.seconds(latencies.p50()),
                PlanTable.seconds(latencies.p95()),
                PlanTable.seconds(latencies.p99()),
                PlanTable.usd(estimate.cost().total()));
    }

    private static void appendRow(StringBuilder html, String... cells) {
        html.append("<tr>");
        for (String cell : List.of(cells)) {
            html.append("<td>").append(escape(cell)).append("</td>");
        }
        html.append("</tr>\n");
    }

    private static void paragraph(StringBuilder html, String text) {
        html.append("<p>").append(escape(text)).append("</p>\n");
    }

    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** The plot. Immutable. */
    private static final class FrontierPlot {
        private static final int WIDTH = 700;
        private static final int HEIGHT = 340;
        private static final int LEFT = 70;
        private static final int BOTTOM = 40;
        private static final double MARGIN = 1.15;
        private final Plan plan;
        private final double leastX;
        private final double mostX;
        private final double leastY;
        private final double mostY;

        private FrontierPlot(Plan plan) {
            this.plan = plan;
            double[] xs = plan.frontier().stream()
                    .mapToDouble(point -> point.latencies().p95())
                    .sorted()
                    .toArray();
            double[] ys = plan.frontier().stream()
                    .mapToDouble(point -> point.cost().total())
                    .sorted()
                    .toArray();
            Estimate chosen = plan.recommended();
            leastX = Math.min(xs[0], chosen.latencies().p95()) / MARGIN;
            mostX = Math.max(xs[xs.length - 1], chosen.latencies().p95()) * MARGIN;
            leastY = Math.max(1e-9, Math.min(ys[0], chosen.cost().total())) / MARGIN;
            mostY = Math.max(
                            Math.max(ys[ys.length - 1], chosen.cost().total()),
                            Math.max(leastY * 2, plan.nativeUsdPerHour()))
                    * MARGIN;
        }

        private String svg() {
            StringBuilder svg = new StringBuilder();
            svg.append(text(
                    "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\">%n",
                    WIDTH + 20, HEIGHT));
            appendAxes(svg);
            appendNative(svg);
            svg.append("<polyline fill=\"none\" stroke=\"#0f766e\" stroke-width=\"2\" points=\"");
            plan.frontier().forEach(point -> svg.append(text("%.1f,%.1f ", x(point), y(point))));
            svg.append("\"/>\n");
            plan.frontier().forEach(point -> appendPoint(svg, point, 4, "#0f766e"));
            appendPoint(svg, plan.recommended(), 7, "#b91c1c");
            label(svg, x(plan.recommended()) + 10, y(plan.recommended()) - 8, "start", "recommended");
            return svg.append("</svg>\n").toString();
        }

        private void appendAxes(StringBuilder svg) {
            for (double tick : ticks(leastX, mostX)) {
                double at = LEFT + share(tick, leastX, mostX) * (WIDTH - LEFT);
                line(svg, at, 10, at, HEIGHT - BOTTOM, "#eee");
                label(svg, at, HEIGHT - BOTTOM + 18, "middle", PlanTable.seconds(tick));
            }
            for (double tick : ticks(leastY, mostY)) {
                double at = HEIGHT - BOTTOM - share(tick, leastY, mostY) * (HEIGHT - BOTTOM - 10);
                line(svg, LEFT, at, WIDTH, at, "#eee");
                label(svg, LEFT - 8, at + 4, "end", text("%.3g", tick));
            }
        }

        private void appendNative(StringBuilder svg) {
            double usd = plan.nativeUsdPerHour();
            if (usd > leastY) {
                double at = HEIGHT - BOTTOM - share(usd, leastY, mostY) * (HEIGHT - BOTTOM - 10);
                line(svg, LEFT, at, WIDTH, at, "#b45309");
                label(svg, WIDTH, at - 6, "end", "native " + PlanTable.usd(usd));
            }
        }

        private static double[] ticks(double least, double most) {
            return IntStream.rangeClosed((int) Math.floor(Math.log10(least)), (int) Math.ceil(Math.log10(most)))
                    .boxed()
                    .flatMapToDouble(exponent -> DoubleStream.of(1, 2, 5).map(digit -> digit * Math.pow(10, exponent)))
                    .filter(tick -> tick >= least && tick <= most)
                    .toArray();
        }

        private void appendPoint(StringBuilder svg, Estimate point, int radius, String colour) {
            svg.append(text(
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\"><title>%s, %d ms: p95 %s, %s USD/h</title></circle>%n",
                    x(point),
                    y(point),
                    radius,
                    colour,
                    PlanTable.bytes(point.tuning().blobBytes()),
                    point.tuning().delay().toMillis(),
                    PlanTable.seconds(point.latencies().p95()),
                    PlanTable.usd(point.cost().total())));
        }

        private double x(Estimate point) {
            return LEFT + share(point.latencies().p95(), leastX, mostX) * (WIDTH - LEFT);
        }

        private double y(Estimate point) {
            double total = Math.max(leastY, point.cost().total());
            return HEIGHT - BOTTOM - share(total, leastY, mostY) * (HEIGHT - BOTTOM - 10);
        }

        private static double share(double value, double least, double most) {
            return Math.log(value / least) / Math.log(most / least);
        }

        private static void line(StringBuilder svg, double x1, double y1, double x2, double y2, String colour) {
            svg.append(text(
                    "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>%n", x1, y1, x2, y2, colour));
        }

        private static void label(StringBuilder svg, double x, double y, String anchor, String label) {
            svg.append(text("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, escape(label)));
        }

        private static String text(String format, Object... values) {
            return String.format(Locale.ROOT, format, values);
        }
    }
}
