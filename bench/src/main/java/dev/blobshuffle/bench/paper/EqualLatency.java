package dev.blobshuffle.bench.paper;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The price of our layouts at the p95 that the paper's layout has with a given batch size.
 *
 * @param profile the store's latencies
 * @param mebibytes the paper's size
 * @param p95Seconds the latency of both
 * @param paperUsd S3's price with the paper's layout at 1 GiB per second
 * @param ours the cheapest of ours; empty: no measured point is as fast
 */
public record EqualLatency(String profile, double mebibytes, double p95Seconds, double paperUsd, Optional<Offer> ours) {
    private static final int FIGURE = 8;

    /**
     * A layout's price.
     *
     * @param layout one of ours
     * @param usd S3's price at 1 GiB per second, between its measured points
     */
    public record Offer(Layout layout, double usd) {}

    private record Point(double mebibytes, double p95, double usd) {}

    /** All sizes of all profiles, by the rows of Figure 8. */
    public static List<EqualLatency> of(List<FigureRow> rows) {
        List<EqualLatency> all = new ArrayList<>();
        List<String> profiles = rows.stream().map(FigureRow::profile).distinct().toList();
        for (String profile : profiles) {
            for (Point paper : points(rows, profile, Layout.PAPER)) {
                all.add(new EqualLatency(
                        profile, paper.mebibytes, paper.p95, paper.usd, cheapest(rows, profile, paper.p95)));
            }
        }
        return all;
    }

    private static Optional<Offer> cheapest(List<FigureRow> rows, String profile, double p95) {
        List<Offer> offers = new ArrayList<>();
        for (Layout layout : List.of(Layout.OURS, Layout.OURS_PER_ZONE)) {
            between(unbeaten(points(rows, profile, layout)), p95).ifPresent(usd -> offers.add(new Offer(layout, usd)));
        }
        return offers.stream().min(Comparator.comparingDouble(Offer::usd));
    }

    private static List<Point> points(List<FigureRow> rows, String profile, Layout layout) {
        Map<Double, double[]> found = new LinkedHashMap<>();
        for (FigureRow row : rows) {
            if (row.figure() == FIGURE && row.profile().equals(profile) && row.layout() == layout) {
                double[] point = found.computeIfAbsent(row.value(), value -> new double[2]);
                if (row.metric().equals("latency_p95_seconds")) {
                    point[0] = row.measured();
                } else if (row.metric().equals("s3_usd_per_hour")) {
                    point[1] = row.measured();
                }
            }
        }
        List<Point> points = new ArrayList<>();
        found.forEach((size, point) -> points.add(new Point(size, point[0], point[1])));
        return points;
    }

    /** Without points that another one beats in latency and price, fastest first. */
    private static List<Point> unbeaten(List<Point> points) {
        List<Point> kept = new ArrayList<>();
        points.stream()
                .sorted(Comparator.comparingDouble(Point::p95).thenComparingDouble(Point::usd))
                .forEach(point -> {
                    if (kept.isEmpty() || point.usd < kept.get(kept.size() - 1).usd) {
                        kept.add(point);
                    }
                });
        return kept;
    }

    /**
     * The price on a straight line between two points, with both scales logarithmic. Beyond the
     * last point it is that point's price, because the point is fast enough.
     */
    private static Optional<Double> between(List<Point> points, double p95) {
        for (int i = 1; i < points.size(); i++) {
            Point low = points.get(i - 1);
            Point high = points.get(i);
            if (low.p95 <= p95 && p95 <= high.p95) {
                double share = Math.log(p95 / low.p95) / Math.log(high.p95 / low.p95);
                return Optional.of(low.usd * Math.pow(high.usd / low.usd, share));
            }
        }
        return points.stream().filter(point -> point.p95 <= p95).map(Point::usd).min(Comparator.naturalOrder());
    }

    /** Our price divided by the paper's. Above 1, the paper's layout is cheaper. */
    public Optional<Double> ratio() {
        return ours.map(offer -> offer.usd / paperUsd);
    }

    /** For the JSON. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("profile", profile);
        json.put("mebibytes", mebibytes);
        json.put("latency_p95_seconds", p95Seconds);
        json.put("paper_s3_usd_per_hour", paperUsd);
        json.put("ours_layout", ours.map(offer -> offer.layout().label()).orElse(null));
        json.put("ours_s3_usd_per_hour", ours.map(Offer::usd).orElse(null));
        json.put("ratio", ratio().orElse(null));
        return json;
    }
}
