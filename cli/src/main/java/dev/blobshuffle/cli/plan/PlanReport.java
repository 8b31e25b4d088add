package dev.blobshuffle.cli.plan;

import dev.blobshuffle.cli.chart.Axis;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.HtmlPage;
import dev.blobshuffle.cli.chart.Series;
import dev.blobshuffle.cli.chart.Series.Point;
import dev.blobshuffle.planner.Estimate;
import dev.blobshuffle.planner.Latencies;
import dev.blobshuffle.planner.Plan;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A plan as one self-contained HTML page: verdict, costs, a plot of cost against latency, settings.
 * Stateless.
 */
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

    private static Chart frontier(Plan plan) {
        List<Point> frontier = plan.frontier().stream().map(PlanReport::point).toList();
        return new Chart(
                "Cost against latency",
                Axis.logarithmic("p95 of the shuffle, s"),
                Axis.logarithmic("USD per hour"),
                List.of(
                        new Series("native", Series.Form.LINE, level(plan, frontier)),
                        new Series("BlobShuffle", Series.Form.MARKED, frontier),
                        new Series("recommended", Series.Form.DISCS, List.of(point(plan.recommended())))));
    }

    /**
     * The cost of a native topic as a line, from the fastest to the slowest of the settings; empty
     * if it is zero.
     */
    private static List<Point> level(Plan plan, List<Point> frontier) {
        double usd = plan.nativeUsdPerHour();
        if (!(usd > 0)) {
            return List.of();
        }
        String hint = "native " + PlanTable.usd(usd) + " USD/h";
        DoubleSummaryStatistics seconds = Stream.concat(frontier.stream(), Stream.of(point(plan.recommended())))
                .mapToDouble(Point::x)
                .summaryStatistics();
        return List.of(Point.of(seconds.getMin(), usd, hint), Point.of(seconds.getMax(), usd, hint));
    }

    private static Point point(Estimate estimate) {
        return Point.of(
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
