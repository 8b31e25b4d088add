package dev.blobshuffle.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobshuffle.bench.workload.RecordProbe;
import dev.blobshuffle.planner.LatencyModel;
import dev.blobshuffle.planner.LatencyProfile;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PaperEvaluationTest {
    private static final long MIB = 1 << 20;
    private static final CpuCost CPU = new CpuCost(5e-6, 0, 50e-6, 0, 0, 0, 0);

    /** Full blobs, 10 s of 1 GiB per second, each put of a second. */
    private static ClusterResult result(Deployment deployment, double p95Seconds) {
        int puts = (int) (10 * 1024 / deployment.targetMebibytes());
        long records = (long) (10 * MIB / deployment.scale());
        return new ClusterResult(
                deployment,
                10,
                records,
                histogram(100, p95Seconds),
                histogram(100, p95Seconds),
                histogram(puts, 1),
                histogram(puts * 2 / 3, 0.1),
                records * Deployment.VALUE_BYTES,
                records * Deployment.VALUE_BYTES * 2 / 3,
                puts * deployment.partitions() / 3,
                puts * deployment.partitions() / 3);
    }

    private static Histogram histogram(int count, double seconds) {
        Histogram histogram = RecordProbe.histogram();
        histogram.recordValueWithCount((long) (seconds * 1e6), count);
        return histogram;
    }

    private static PaperEvaluation evaluation(Figure figure, Optional<CpuCost> cpu) {
        LatencyProfile profile = LatencyProfile.S3_PAPER_REQUESTS;
        Map<Deployment, ClusterResult> results = new LinkedHashMap<>();
        for (Deployment deployment : figure.deployments()) {
            double p95 = deployment.mebibytes() / (deployment.layout() == Layout.PAPER ? 10 : 8);
            results.put(deployment, result(deployment, p95));
        }
        return new PaperEvaluation(
                new PaperPlan(List.of(figure), List.of(profile), 100, 1), Map.of(profile, results), cpu);
    }

    private static Figure figure(int number) {
        return Figure.ALL.stream()
                .filter(each -> each.number() == number)
                .findFirst()
                .orElseThrow();
    }

    private static FigureRow row(List<FigureRow> rows, Layout layout, double value, String metric) {
        return rows.stream()
                .filter(row -> row.layout() == layout
                        && row.value() == value
                        && row.metric().equals(metric))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void fullBlobsCostWhatThePapersModelSays() {
        List<FigureRow> rows = evaluation(figure(7), Optional.empty()).rows();
        assertThat(row(rows, Layout.PAPER, 1, "s3_usd_per_hour").measured()).isCloseTo(19.53, within(0.02));
        assertThat(row(rows, Layout.PAPER, 16, "s3_usd_per_hour").measured()).isCloseTo(1.327, within(0.002));
        assertThat(row(rows, Layout.PAPER, 16, "native_usd_per_hour").measured())
                .isCloseTo(192, within(1e-6));
    }

    @Test
    void papersNumbersStandBesideThePapersLayoutOnly() {
        List<FigureRow> rows = evaluation(figure(7), Optional.of(CPU)).rows();
        FigureRow cost = row(rows, Layout.PAPER, 1, "s3_usd_per_hour");
        assertThat(cost.paper()).contains(20.63);
        assertThat(cost.deviation().orElseThrow()).isCloseTo(19.53 / 20.63 - 1, within(1e-3));
        assertThat(row(rows, Layout.OURS, 1, "s3_usd_per_hour").paper()).isEmpty();
        assertThat(row(rows, Layout.PAPER, 16, "latency_p50_seconds").deviation())
                .isEmpty();
    }

    @Test
    void numberOfTheFitIsNotCompared() {
        assertThat(PublishedNumber.of(10, 12, "latency_p95_seconds")).isEmpty();
        assertThat(PublishedNumber.of(10, 48, "latency_p95_seconds")).contains(1.88);
    }

    @Test
    void morePartitionsLowerTheLimitByTheirNotifications() {
        List<FigureRow> rows = evaluation(figure(9), Optional.of(CPU)).rows();
        double perGibibyte = 5e-6 * MIB + 50e-6 * 64 * 72;
        assertThat(row(rows, Layout.PAPER, 216, "cpu_seconds_per_gib").measured())
                .isCloseTo(perGibibyte, within(0.01));
        assertThat(row(rows, Layout.PAPER, 216, "throughput_limit_gib_per_second")
                        .measured())
                .isCloseTo(48 / perGibibyte, within(0.01));
        assertThat(row(rows, Layout.PAPER, 216, "throughput_limit_over_a_third").paper())
                .contains(0.74);
    }

    @Test
    void priceAtEqualLatencyLiesBetweenMeasuredPoints() {
        List<EqualLatency> all =
                EqualLatency.of(evaluation(figure(8), Optional.empty()).rows());
        assertThat(all).hasSize(8);
        assertThat(all.get(0).ratio().orElseThrow()).isBetween(0.3, 0.7);
        assertThat(all.get(4).ratio().orElseThrow()).isBetween(0.3, 0.7);
        assertThat(all.get(4).ours().map(EqualLatency.Offer::layout)).contains(Layout.OURS);
    }

    @Test
    void loadsBetweenThePapersNumbersFollowThem() {
        assertThat(PaperLoad.byPartitions(288)).isCloseTo(108.5 * 12 / 1024, within(0.02));
        assertThat(PaperLoad.byInstances(12)).isCloseTo(144.2 * 6 / 1024, within(1e-9));
        assertThat(PaperLoad.byInstances(48)).isCloseTo(2.39, within(0.01));
    }

    private static double[] times(LatencyModel model) {
        SplittableRandom random = new SplittableRandom(1);
        return IntStream.range(0, 200_000)
                .mapToDouble(i -> model.sample(16 * MIB, random::nextLong).toNanos())
                .sorted()
                .toArray();
    }

    @Test
    void profileHasTheShapeThatThePaperStates() {
        double[] puts = times(LatencyProfile.S3_PAPER_REQUESTS.put().orElseThrow());
        double[] gets = times(LatencyProfile.S3_PAPER_REQUESTS.get().orElseThrow());
        double median = puts[puts.length / 2];
        assertThat(puts[(int) (0.95 * puts.length)] / median).isCloseTo(2, within(0.1));
        assertThat(puts[(int) (0.99 * puts.length)] / median).isCloseTo(4, within(0.2));
        assertThat(median / gets[gets.length / 2]).isBetween(7.0, 9.0);
    }

    @Test
    void costsAreSeparatedByRunsThatDiffer() {
        double[][] counts = {{1000, 100, 10}, {4000, 100, 10}, {1000, 100, 400}};
        double[] work = new double[3];
        for (int i = 0; i < 3; i++) {
            work[i] = 2 * counts[i][0] + 30 * counts[i][1] + 7 * counts[i][2];
        }
        assertThat(LinearCosts.solve(counts, work)).containsExactly(new double[] {2, 30, 7}, within(1e-6));
        assertThatThrownBy(() -> LinearCosts.solve(new double[][] {{1, 2}, {2, 4}}, new double[] {1, 2}))
                .hasMessageContaining("multiples of each other");
    }
}
