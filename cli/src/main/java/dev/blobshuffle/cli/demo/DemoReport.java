package dev.blobshuffle.cli.demo;

import dev.blobshuffle.cli.chart.Axis;
import dev.blobshuffle.cli.chart.Bars;
import dev.blobshuffle.cli.chart.Colour;
import dev.blobshuffle.cli.chart.HtmlPage;
import dev.blobshuffle.cli.chart.Plot;
import dev.blobshuffle.cli.chart.Plot.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** The comparison as one HTML page that needs nothing else: table, a plot of latencies and one of bytes. Stateless. */
final class DemoReport {
    private static final double LEAST_MILLIS = 0.1;

    private DemoReport() {}

    static String html(DemoResult result) {
        HtmlPage page =
                new HtmlPage("BlobShuffle demo").table(List.of("", "native", "BlobShuffle", "ratio"), rows(result));
        result.notes().forEach(page::paragraph);
        result.differences().forEach(page::preformatted);
        return page.heading("Shuffle latency")
                .paragraph("Share of records that took no longer.")
                .figure(latencies(result))
                .heading("Where the bytes went")
                .figure(bytes(result))
                .heading("Zones")
                .table(
                        List.of(
                                "bytes of blobs that instances got",
                                "from the store",
                                "own cache",
                                "others of the zone"),
                        zones(result))
                .paragraph(result.crossZoneNote())
                .html();
    }

    private static List<List<String>> rows(DemoResult result) {
        List<List<String>> rows = new ArrayList<>();
        result.rows().forEach(row -> rows.add(List.of(row.name(), row.nativeValue(), row.blobValue(), row.ratio())));
        rows.add(List.of("outputs equal", "", result.outputsEqual() ? "yes" : "NO", ""));
        return rows;
    }

    private static List<List<String>> zones(DemoResult result) {
        return result.zoneRows().stream()
                .map(zone -> List.of("in " + zone.zone(), zone.fromStore(), zone.fromOwn(), zone.fromZone()))
                .toList();
    }

    private static String latencies(DemoResult result) {
        Map<Double, Double> nativeCurve =
                result.nativeRun().measured().latencies().cumulative();
        Map<Double, Double> blobCurve = result.blobRun().measured().latencies().cumulative();
        DoubleStream all = Stream.of(nativeCurve, blobCurve)
                .flatMap(curve -> curve.keySet().stream())
                .mapToDouble(millis -> Math.max(millis, LEAST_MILLIS));
        Axis millis =
                Axis.logarithmic(all, value -> String.format(Locale.ROOT, value < 1 ? "%.1f ms" : "%.0f ms", value));
        Axis share = new Axis(Axis.Scale.LINEAR, 0, 1, value -> String.format(Locale.ROOT, "%.0f %%", value * 100));
        return new Plot(millis, share)
                .curve(Variant.NATIVE.title(), Colour.NATIVE, points(nativeCurve))
                .curve(Variant.BLOBS.title(), Colour.BLOBS, points(blobCurve))
                .svg();
    }

    private static List<Point> points(Map<Double, Double> curve) {
        return curve.entrySet().stream()
                .map(entry -> Point.of(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static String bytes(DemoResult result) {
        long nativeBytes = result.nativeRun().shuffleBrokerBytes();
        long blobBrokerBytes = result.blobRun().shuffleBrokerBytes();
        long blobBytes = result.blobRun().measured().blobBytes();
        return new Bars()
                .bar("native, through brokers", Colour.NATIVE, nativeBytes, whole(nativeBytes))
                .bar("BlobShuffle, through brokers", Colour.BLOBS, blobBrokerBytes, whole(blobBrokerBytes))
                .bar("BlobShuffle, in blobs", Colour.BLOBS, blobBytes, whole(blobBytes))
                .svg();
    }

    private static String whole(long bytes) {
        return String.format(Locale.ROOT, "%,d", bytes);
    }
}
