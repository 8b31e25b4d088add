package dev.blobshuffle.bench.report;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.HtmlPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Results as one self-contained HTML page, and its plots as files. Stateless. */
public final class HtmlReport {
    private static final Map<String, String> FIGURES =
            Map.of("batch-size", "Figures 7 and 8", "partitions", "Figure 9", "instances", "Figure 10");

    private HtmlReport() {}

    /**
     * The page.
     *
     * @param title its heading
     * @param command the command that repeats the run
     * @param environment the environment of the measurement
     */
    public static String of(String title, String command, Comparison comparison, Map<String, Object> environment) {
        HtmlPage page = new HtmlPage(title)
                .paragraph(
                        comparison.isVerified()
                                ? "Every run had exactly the output that its input asks for."
                                : "NOT every run had the output that its input asks for; the JSON says which.")
                .paragraph(
                        "Bars are medians, whiskers the least and the most of the repetitions. On a busy or a small machine only the ratios mean anything.")
                .paragraph(figures(comparison) + scale(comparison))
                .heading("Numbers")
                .preformatted(ResultTable.of(comparison));
        for (ResultCharts.Group group : ResultCharts.groups(comparison)) {
            page.heading(group.heading());
            group.charts().values().forEach(page::figure);
        }
        List<List<String>> where = new ArrayList<>();
        environment.forEach((name, value) -> where.add(List.of(name, String.valueOf(value))));
        return page.heading("Where, and the command")
                .preformatted(command)
                .table(List.of("", ""), where)
                .html();
    }

    /** The figures of the BlobShuffle paper that vary the same parameter. */
    private static String figures(Comparison comparison) {
        Set<String> varied = new TreeSet<>();
        comparison.cells().forEach(cell -> varied.addAll(cell.varied().keySet()));
        String figures =
                varied.size() == 1 ? FIGURES.getOrDefault(varied.iterator().next(), "") : "";
        return figures.isEmpty()
                ? "Distributions of latencies are what Figure 6 of the BlobShuffle paper shows."
                : "Varied is " + varied.iterator().next() + ", as in " + figures + " of the BlobShuffle paper.";
    }

    /** A note on the meaning of a smaller scale for the numbers. */
    private static String scale(Comparison comparison) {
        return comparison.cells().stream().allMatch(cell -> cell.parameters().decimal(Parameter.STORE_SCALE) == 1)
                ? ""
                : " With a store scale above 1 the store of blobs-s3 takes as long as for blobs so many times larger, and costs are those of the requests"
                        + " for so many times more bytes; everything else is as it was measured.";
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
}
