package dev.blobshuffle.cli.demo;

import java.util.Locale;
import java.util.Map;

/** The comparison as one HTML page that needs nothing else: table, a plot of latencies and one of bytes. Stateless. */
final class DemoReport {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 260;
    private static final int LEFT = 60;
    private static final int BOTTOM = 40;
    private static final String NATIVE_COLOUR = "#b45309";
    private static final String BLOB_COLOUR = "#0f766e";
    private static final double LEAST_MILLIS = 0.1;

    private DemoReport() {}

    static String html(DemoResult result) {
        StringBuilder html = new StringBuilder();
        html.append(
                        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>BlobShuffle demo</title>\n<style>")
                .append(
                        "body{font:15px/1.5 system-ui,sans-serif;max-width:760px;margin:2em auto;padding:0 1em;color:#222}")
                .append(
                        "table{border-collapse:collapse;width:100%}td,th{padding:.3em .6em;border-bottom:1px solid #ddd;text-align:right}")
                .append(
                        "td:first-child,th:first-child{text-align:left}svg text{font:12px system-ui,sans-serif;fill:#444}")
                .append("</style></head><body>\n<h1>BlobShuffle demo</h1>\n");
        appendTable(html, result);
        html.append("<h2>Shuffle latency</h2>\n<p>Share of records that took no longer, by milliseconds.</p>\n");
        appendLatencies(html, result);
        html.append("<h2>Where the bytes went</h2>\n");
        appendBytes(html, result);
        html.append("</body></html>\n");
        return html.toString();
    }

    private static void appendTable(StringBuilder html, DemoResult result) {
        html.append("<table><tr><th></th><th>native</th><th>BlobShuffle</th><th>ratio</th></tr>\n");
        for (DemoResult.Row row : result.rows()) {
            html.append(String.format(
                    Locale.ROOT,
                    "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>%n",
                    escape(row.name()),
                    row.nativeValue(),
                    row.blobValue(),
                    row.ratio()));
        }
        html.append("<tr><td>outputs equal</td><td></td><td>")
                .append(result.outputsEqual() ? "yes" : "<strong>no</strong>")
                .append("</td><td></td></tr></table>\n");
        result.notes().forEach(note -> html.append("<p>").append(escape(note)).append("</p>\n"));
        result.differences()
                .forEach(difference ->
                        html.append("<pre>").append(escape(difference)).append("</pre>\n"));
    }

    private static void appendLatencies(StringBuilder html, DemoResult result) {
        Map<Double, Double> nativeCurve =
                result.nativeRun().measured().latencies().cumulative();
        Map<Double, Double> blobCurve = result.blobRun().measured().latencies().cumulative();
        double most = 10;
        for (double millis : nativeCurve.keySet()) {
            most = Math.max(most, millis);
        }
        for (double millis : blobCurve.keySet()) {
            most = Math.max(most, millis);
        }
        openPlot(html, HEIGHT);
        for (double tick = LEAST_MILLIS; tick <= most; tick *= 10) {
            double x = x(tick, most);
            appendLine(html, x, 10, x, HEIGHT - BOTTOM, "#eee");
            appendText(
                    html,
                    x,
                    HEIGHT - BOTTOM + 18,
                    "middle",
                    String.format(Locale.ROOT, tick < 1 ? "%.1f" : "%.0f", tick) + " ms");
        }
        for (int percent = 0; percent <= 100; percent += 25) {
            double y = y(percent / 100.0);
            appendLine(html, LEFT, y, WIDTH, y, "#eee");
            appendText(html, LEFT - 8, y + 4, "end", percent + " %");
        }
        appendCurve(html, nativeCurve, most, NATIVE_COLOUR);
        appendCurve(html, blobCurve, most, BLOB_COLOUR);
        appendLegend(html);
        html.append("</svg>\n");
    }

    private static void appendCurve(StringBuilder html, Map<Double, Double> curve, double most, String colour) {
        html.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"")
                .append(colour)
                .append("\" points=\"");
        curve.forEach(
                (millis, share) -> html.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(millis, most), y(share))));
        html.append("\"/>\n");
    }

    private static void appendLegend(StringBuilder html) {
        appendLine(html, LEFT + 12, 22, LEFT + 40, 22, NATIVE_COLOUR);
        appendText(html, LEFT + 46, 26, "start", Variant.NATIVE.title());
        appendLine(html, LEFT + 12, 42, LEFT + 40, 42, BLOB_COLOUR);
        appendText(html, LEFT + 46, 46, "start", Variant.BLOBS.title());
    }

    private static void appendBytes(StringBuilder html, DemoResult result) {
        long[] values = {
            result.nativeRun().shuffleBrokerBytes(),
            result.blobRun().shuffleBrokerBytes(),
            result.blobRun().measured().blobBytes()
        };
        String[] names = {"native, through brokers", "BlobShuffle, through brokers", "BlobShuffle, in blobs"};
        String[] colours = {NATIVE_COLOUR, BLOB_COLOUR, BLOB_COLOUR};
        double most = Math.max(1, Math.max(values[0], Math.max(values[1], values[2])));
        int labels = 200;
        openPlot(html, 130);
        for (int i = 0; i < values.length; i++) {
            double width = Math.max(1, (WIDTH - labels - 110) * values[i] / most);
            appendText(html, labels - 8, 32 + i * 36, "end", names[i]);
            html.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"22\" fill=\"%s\"/>%n",
                    labels,
                    16 + i * 36,
                    width,
                    colours[i]));
            appendText(html, labels + width + 6, 32 + i * 36, "start", String.format(Locale.ROOT, "%,d", values[i]));
        }
        html.append("</svg>\n");
    }

    private static void openPlot(StringBuilder html, int height) {
        html.append(String.format(
                Locale.ROOT,
                "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\">%n",
                WIDTH + 20,
                height));
    }

    private static void appendLine(StringBuilder html, double x1, double y1, double x2, double y2, String colour) {
        html.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%d\"/>%n",
                x1,
                y1,
                x2,
                y2,
                colour,
                colour.length() > 4 ? 2 : 1));
    }

    private static void appendText(StringBuilder html, double x, double y, String anchor, String text) {
        html.append(String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, escape(text)));
    }

    private static double x(double millis, double most) {
        double share = Math.log(Math.max(millis, LEAST_MILLIS) / LEAST_MILLIS) / Math.log(most / LEAST_MILLIS);
        return LEFT + share * (WIDTH - LEFT);
    }

    private static double y(double share) {
        return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - 10);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
