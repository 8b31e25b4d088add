package dev.blobshuffle.bench.report;

import dev.blobshuffle.bench.chart.Chart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Results as one HTML page that needs nothing else, and its plots as files. Stateless. */
public final class HtmlReport {
    private HtmlReport() {}

    /**
     * The page.
     *
     * @param title its heading
     * @param command what repeats it
     * @param environment where it was measured
     */
    public static String of(String title, String command, Comparison comparison, Map<String, Object> environment) {
        StringBuilder html = new StringBuilder();
        html.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
                .append(escape(title))
                .append(
                        "</title>\n<style>body{font:15px/1.5 system-ui,sans-serif;max-width:820px;margin:2em auto;padding:0 1em;color:#222}"
                                + "table{border-collapse:collapse}td,th{padding:.3em .7em;border-bottom:1px solid #ddd;text-align:left}"
                                + "pre{background:#f6f6f6;padding:1em;overflow-x:auto}</style></head><body>\n<h1>")
                .append(escape(title))
                .append("</h1>\n<p>")
                .append(
                        comparison.isVerified()
                                ? "Every run had exactly the output that its input asks for."
                                : "<b>Not every run had the output that its input asks for; the JSON says which.</b>")
                .append(
                        " Bars are medians, whiskers the least and the most of the repetitions. On a busy or a small machine only the ratios mean"
                                + " anything.</p>\n<h2>Numbers</h2>\n<pre>")
                .append(escape(ResultTable.of(comparison)))
                .append("</pre>\n<h2>Plots</h2>\n");
        ResultCharts.of(comparison).values().forEach(chart -> html.append(chart.svg()));
        html.append("<h2>Where</h2>\n<pre>").append(escape(command)).append("</pre>\n<table>\n");
        environment.forEach((name, value) -> html.append("<tr><td>")
                .append(escape(name))
                .append("</td><td>")
                .append(escape(String.valueOf(value)))
                .append("</td></tr>\n"));
        return html.append("</table>\n</body></html>\n").toString();
    }

    /** Writes each plot as SVG and PNG. */
    public static void writePlots(Comparison comparison, Path directory) throws IOException {
        writePlots(ResultCharts.of(comparison), directory);
    }

    /** Writes plots by their names. */
    public static void writePlots(Map<String, Chart> charts, Path directory) throws IOException {
        Files.createDirectories(directory);
        for (Map.Entry<String, Chart> chart : charts.entrySet()) {
            Files.writeString(
                    directory.resolve(chart.getKey() + ".svg"), chart.getValue().svg());
            chart.getValue().writePng(directory.resolve(chart.getKey() + ".png"));
        }
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
