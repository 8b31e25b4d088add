package dev.blobshuffle.bench.demo;

import dev.blobshuffle.cli.chart.Axis;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.HtmlPage;
import dev.blobshuffle.cli.chart.Series;
import dev.blobshuffle.cli.chart.Series.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The comparison as one self-contained HTML page: a table, a plot of latencies and one of bytes.
 * Stateless.
 */
final class DemoReport {
    private static final double LEAST_MILLIS = 0.1;

    private DemoReport() {}

    static String html(DemoResult result) {
        HtmlPage page = new HtmlPage("BlobShuffle demo")
                .paragraph(result.verdict())
                .paragraph(result.breakEven())
                .paragraph(result.combining().orElse(""))
                .table(List.of("", "native", "BlobShuffle", "ratio"), rows(result));
        result.notes().forEach(page::paragraph);
        result.differences().forEach(page::preformatted);
        return page.heading("Shuffle latency")
                .paragraph("Share of records that took no longer.")
                .figure(latencies(result))
                .heading("Where the bytes went")
                .figure(bytes(result))
                .heading("Zones")
                .table(zoneColumns(result), zones(result))
                .paragraph(result.crossZoneNote())
                .html();
    }

    private static List<List<String>> rows(DemoResult result) {
        List<List<String>> rows = new ArrayList<>();
        result.rows().forEach(row -> rows.add(List.of(row.name(), row.nativeValue(), row.blobValue(), row.ratio())));
        rows.add(List.of("outputs equal", "", result.outputsEqual() ? "yes" : "NO", ""));
        return rows;
    }

    private static List<String> zoneColumns(DemoResult result) {
        return withName("bytes of blobs", result.zoneColumns());
    }

    private static List<String> withName(String name, List<String> cells) {
        List<String> row = new ArrayList<>(List.of(name));
        row.addAll(cells);
        return row;
    }

    private static List<List<String>> zones(DemoResult result) {
        return result.zoneRows().stream()
                .map(row -> withName(row.from(), row.bytes()))
                .toList();
    }

    private static Chart latencies(DemoResult result) {
        return new Chart(
                "Latency of the shuffle",
                Axis.logarithmic("ms"),
                Axis.linear("share of records"),
                List.of(
                        latencies(DemoVariant.NATIVE, result.nativeRun()),
                        latencies(DemoVariant.BLOBS, result.blobRun())));
    }

    private static Series latencies(DemoVariant variant, VariantResult run) {
        return new Series(
                variant.title(),
                Series.Form.LINE,
                run.measured().latencies().cumulative().entrySet().stream()
                        .map(entry -> Point.of(Math.max(entry.getKey(), LEAST_MILLIS), entry.getValue(), ""))
                        .toList());
    }

    private static Chart bytes(DemoResult result) {
        return new Chart(
                "Bytes",
                Axis.of("", List.of("native, through brokers", "blobs, through brokers", "in blobs")),
                Axis.linear("bytes"),
                List.of(new Series(
                        "bytes",
                        Series.Form.BARS,
                        List.of(
                                bar(0, result.nativeRun().shuffleBrokerBytes()),
                                bar(1, result.blobRun().shuffleBrokerBytes()),
                                bar(2, result.blobRun().measured().blobBytes())))));
    }

    private static Point bar(int category, long bytes) {
        return Point.of(category, bytes, String.format(Locale.ROOT, "%,d", bytes));
    }
}
