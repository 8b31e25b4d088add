package dev.blobshuffle.bench.paper;

import dev.blobshuffle.planner.LatencyProfile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * The rows of all figures.
 *
 * @param plan the plan that ran
 * @param results by profile and cluster
 * @param cpu processor times; empty: rows that need them are left out
 */
public record PaperEvaluation(
        PaperPlan plan, Map<LatencyProfile, Map<Deployment, ClusterResult>> results, Optional<CpuCost> cpu) {
    private static final int PARTITIONS_FIGURE = 9;

    /** Every number of every figure. */
    public List<FigureRow> rows() {
        List<FigureRow> rows = new ArrayList<>();
        for (LatencyProfile profile : plan.profiles()) {
            for (Figure figure : plan.figures(profile)) {
                for (Layout layout : Layout.values()) {
                    figure.values(layout).forEach(value -> rows.addAll(rows(profile, figure, layout, value)));
                }
            }
        }
        return rows;
    }

    ClusterResult result(LatencyProfile profile, Figure figure, Layout layout, double value) {
        ClusterResult result = results.getOrDefault(profile, Map.of()).get(figure.deployment(layout, value));
        if (result == null) {
            throw new IllegalStateException("Cannot evaluate figure " + figure.number() + " at " + value + ": "
                    + layout.label() + " did not run with " + profile.name() + ".");
        }
        return result;
    }

    private List<FigureRow> rows(LatencyProfile profile, Figure figure, Layout layout, double value) {
        Map<String, Double> metrics = metrics(result(profile, figure, layout, value));
        if (figure.number() == PARTITIONS_FIGURE
                && cpu.isPresent()
                && figure.values().contains(value / 3)) {
            metrics.put(
                    "throughput_limit_over_a_third",
                    cpu.get().limit(result(profile, figure, layout, value))
                            / cpu.get().limit(result(profile, figure, layout, value / 3)));
        }
        // The paper's numbers apply to its layout and its store only.
        boolean isPapers = layout == Layout.PAPER && profile.equals(LatencyProfile.S3_PAPER_REQUESTS);
        List<FigureRow> rows = new ArrayList<>();
        metrics.forEach((metric, measured) -> rows.add(new FigureRow(
                figure.number(),
                profile.name(),
                layout,
                figure.parameter(),
                value,
                metric,
                isPapers ? PublishedNumber.of(figure.number(), value, metric) : Optional.empty(),
                measured)));
        return rows;
    }

    private Map<String, Double> metrics(ClusterResult result) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        percentiles(metrics, "latency", result.latency());
        percentiles(metrics, "latency_without_order_wait", result.unordered());
        percentiles(metrics, "put", result.puts());
        percentiles(metrics, "get", result.gets());
        metrics.put("load_gib_per_second", result.deployment().gibibytesPerSecond());
        metrics.put("shuffled_gib_per_second", result.gibibytesPerSecond());
        metrics.put("puts_per_second", result.putsPerSecond());
        metrics.put("gets_per_second", result.getsPerSecond());
        metrics.put("gets_per_put", result.getsPerSecond() / result.putsPerSecond());
        metrics.put("notifications_per_second", result.notificationsPerSecond());
        metrics.put("cache_reads_per_second", result.cacheReadsPerSecond());
        metrics.put("cache_reads_per_notification", result.cacheReadsPerSecond() / result.notificationsPerSecond());
        metrics.put("blob_mebibytes", result.fill() * result.deployment().targetMebibytes());
        metrics.put("fill", result.fill());
        metrics.put("stored_bytes_per_byte", result.overhead());
        metrics.put("s3_usd_per_hour", PaperPrices.store(result));
        metrics.put("notification_usd_per_hour", PaperPrices.notifications(result));
        metrics.put("native_usd_per_hour", PaperPrices.natively());
        cpu.ifPresent(cost -> computing(metrics, result, cost));
        return metrics;
    }

    private static void computing(Map<String, Double> metrics, ClusterResult result, CpuCost cost) {
        double total = PaperPrices.store(result) + cost.usdPerHour(result);
        double limit = cost.limit(result);
        metrics.put("cpu_seconds_per_gib", cost.perGibibyte(result));
        metrics.put("throughput_limit_gib_per_second", limit);
        metrics.put(
                "throughput_limit_mib_per_second_node",
                limit * 1024 / PublishedNumber.nodes(result.deployment().instances()));
        metrics.put("compute_usd_per_hour", cost.usdPerHour(result));
        metrics.put("total_usd_per_hour", total);
        metrics.put("native_over_total", PaperPrices.natively() / total);
    }

    private static void percentiles(Map<String, Double> metrics, String name, Histogram histogram) {
        for (int percentile : new int[] {50, 95, 99}) {
            metrics.put(name + "_p" + percentile + "_seconds", ClusterResult.seconds(histogram, percentile));
        }
    }
}
