package dev.blobshuffle.cli.plan;

import dev.blobshuffle.cli.chart.Axis;
import dev.blobshuffle.cli.chart.Colour;
import dev.blobshuffle.cli.chart.HtmlPage;
import dev.blobshuffle.cli.chart.Plot;
import dev.blobshuffle.cli.chart.Plot.Point;
import dev.blobshuffle.core.plan.Estimate;
import dev.blobshuffle.core.plan.Latencies;
import dev.blobshuffle.core.plan.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** A plan as one HTML page that needs nothing else: verdict, costs, a plot of cost against latency, settings. Stateless. */
final class PlanReport {
    private PlanReport() {}

    static String html(Plan plan) {
        HtmlPage page = new HtmlPage("BlobShuffle plan")
                .paragraph(PlanTable.headline(plan))
                .paragraph(PlanTable.sources(plan));
        plan.findings().forEach(page::paragraph);
        return page.heading("Costs")
                .table(List.of("", "USD per hour", ""), costs(plan))
                .heading("Latency")
                .table(List.of("", "p50", "p95", "p99", "USD per hour"), latencies(plan))
                .heading("Cost against latency")
                .paragraph(
                        "Settings that no others beat in both; hover for their values. Dollars per hour with compute, by the p95 of the shuffle; both axes logarithmic.")
                .figure(frontier(plan))
                .heading("Settings")
                .preformatted(PlanTable.properties(plan))
                .html();
    }

    private static List<List<String>> costs(Plan plan) {
        return PlanTable.costLines(plan).stream()
                .map(line -> List.of(line.name(), PlanTable.usd(line.usdPerHour()), line.remark()))
                .toList();
    }

    private static List<List<String>> latencies(Plan plan) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(row("recommended", plan.recommended()));
        plan.alternatives().forEach(alternative -> rows.add(row(alternative.name(), alternative.estimate())));
        return rows;
    }

    private static List<String> row(String name, Estimate estimate) {
        Latencies latencies = estimate.latencies();
        return List.of(
                name,
                PlanTable.seconds(latencies.p50()),
                PlanTable.seconds(latencies.p95()),
                PlanTable.seconds(latencies.p99()),
                PlanTable.usd(estimate.cost().total()));
    }

    private static String frontier(Plan plan) {
        List<Estimate> shown = Stream.concat(plan.frontier().stream(), Stream.of(plan.recommended()))
                .toList();
        double nativeUsd = plan.nativeUsdPerHour();
        Axis latency = Axis.logarithmic(
                shown.stream().mapToDouble(estimate -> estimate.latencies().p95()), PlanTable::seconds);
        Axis cost = Axis.logarithmic(
                DoubleStream.concat(
                        shown.stream().mapToDouble(estimate -> estimate.cost().total()), DoubleStream.of(nativeUsd)),
                usd -> String.format(Locale.ROOT, "%.3g", usd));
        List<Point> frontier = plan.frontier().stream().map(PlanReport::point).toList();
        return new Plot(latency, cost)
                .level("native " + PlanTable.usd(nativeUsd), Colour.NATIVE, nativeUsd)
                .trace(Colour.BLOBS, frontier)
                .points(Colour.BLOBS, frontier)
                .mark("recommended", Colour.CHOSEN, point(plan.recommended()))
                .svg();
    }

    private static Point point(Estimate estimate) {
        return new Point(
                estimate.latencies().p95(),
                estimate.cost().total(),
                String.format(
                        Locale.ROOT,
                        "%s, %d ms: p95 %s, %s USD/h",
                        PlanTable.bytes(estimate.tuning().blobBytes()),
                        estimate.tuning().delay().toMillis(),
                        PlanTable.seconds(estimate.latencies().p95()),
                        PlanTable.usd(estimate.cost().total())));
    }
}
