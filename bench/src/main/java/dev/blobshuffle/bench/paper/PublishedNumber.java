package dev.blobshuffle.bench.paper;

import java.util.List;
import java.util.Optional;

/**
 * A number in the paper's text (section 5). Its curves have no numbers.
 *
 * @param figure the number of the figure
 * @param value of the figure's parameter
 * @param metric as in {@link FigureRow}
 * @param number the paper's number
 */
record PublishedNumber(int figure, double value, String metric, double number) {
    /** The number that sets the level of {@code s3-paper-requests}. */
    static final String FITTED = "Figure 10: p95 of 1.56 s with 12 instances";

    private static final double MEBIBYTES_PER_GIBIBYTE = 1024;
    private static final double INSTANCES_PER_NODE = 2;

    /** All that are compared. {@link #FITTED} is not among them. */
    static final List<PublishedNumber> ALL = List.of(
            new PublishedNumber(6, 16, "latency_p50_seconds", 1.07),
            new PublishedNumber(6, 16, "latency_p95_seconds", 1.73),
            new PublishedNumber(6, 16, "latency_p99_seconds", 2.24),
            new PublishedNumber(7, 32, "throughput_limit_gib_per_second", 1.43),
            new PublishedNumber(7, 16, "latency_p95_seconds", 1.73),
            new PublishedNumber(7, 1, "s3_usd_per_hour", 20.63),
            new PublishedNumber(7, 128, "s3_usd_per_hour", 0.29),
            new PublishedNumber(7, 32, "compute_usd_per_hour", 3.00),
            new PublishedNumber(7, 64, "compute_usd_per_hour", 3.00),
            new PublishedNumber(7, 1, "fill", 0.975),
            new PublishedNumber(7, 2, "fill", 0.975),
            new PublishedNumber(7, 4, "fill", 0.975),
            new PublishedNumber(7, 8, "fill", 0.975),
            new PublishedNumber(7, 16, "fill", 0.975),
            new PublishedNumber(7, 32, "fill", 0.975),
            new PublishedNumber(7, 128, "fill", 0.90),
            new PublishedNumber(8, 16, "latency_p95_seconds", 1.73),
            new PublishedNumber(8, 16, "total_usd_per_hour", 4.46),
            new PublishedNumber(8, 16, "native_usd_per_hour", 192),
            new PublishedNumber(8, 16, "native_over_total", 192 / 4.46),
            new PublishedNumber(9, 216, "latency_p95_seconds", 1.73),
            new PublishedNumber(9, 216, "throughput_limit_over_a_third", 0.74),
            new PublishedNumber(9, 288, "throughput_limit_gib_per_second", 108.5 * 12 / MEBIBYTES_PER_GIBIBYTE),
            new PublishedNumber(10, 6, "throughput_limit_gib_per_second", 0.37),
            new PublishedNumber(10, 12, "throughput_limit_gib_per_second", 144.2 * 6 / MEBIBYTES_PER_GIBIBYTE),
            new PublishedNumber(10, 48, "throughput_limit_gib_per_second", 2.39),
            new PublishedNumber(10, 12, "throughput_limit_mib_per_second_node", 144.2),
            new PublishedNumber(10, 48, "throughput_limit_mib_per_second_node", 102.0),
            new PublishedNumber(10, 48, "latency_p95_seconds", 1.88));

    /** The paper's number; empty if it has none. */
    static Optional<Double> of(int figure, double value, String metric) {
        if (figure == 7 && metric.equals("gets_per_put")) {
            return Optional.of(2.0 / 3);
        }
        if (figure == 9 && metric.equals("cache_reads_per_notification")) {
            return Optional.of(1.0);
        }
        return ALL.stream()
                .filter(each -> each.figure == figure && each.value == value && each.metric.equals(metric))
                .map(PublishedNumber::number)
                .findFirst();
    }

    /** Number of nodes for a number of instances. */
    static double nodes(int instances) {
        return instances / INSTANCES_PER_NODE;
    }
}
