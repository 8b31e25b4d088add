package dev.blobshuffle.bench.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.Series;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CallChartsTest {
    private static CallResult result(CallCell cell, double calls) {
        return new CallResult(
                cell,
                39,
                1,
                2,
                0,
                0,
                0,
                new CallCosts(Duration.ofMillis(300), Duration.ofMillis(60), calls, 60),
                60,
                List.of(new CallSample(1, 20, 7, 100), new CallSample(2, 40, Double.NaN, 275)));
    }

    private static CallCell cell(String name) {
        return CallCell.all().stream()
                .filter(cell -> cell.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void secondsAreDrawnBesideThePapersAverages() {
        Map<String, Chart> charts = CallCharts.of(List.of(result(cell("table-2-20ms"), 0)));

        assertThat(charts).containsOnlyKeys("calls-throughput-20ms", "calls-latency", "calls-queue");
        assertThat(charts.get("calls-throughput-20ms").series())
                .extracting(
                        Series::name,
                        line -> line.points().get(0).y(),
                        line -> line.points().get(1).y())
                .containsExactly(
                        tuple("plain", 20.0, 40.0),
                        tuple("paper, Kafka Streams", 39.0, 39.0),
                        tuple("paper, Thulawa", 211.0, 211.0));
        assertThat(charts.get("calls-queue").series().get(0).points())
                .extracting(Series.Point::y)
                .containsExactly(100.0, 275.0);
        // A second without a result has no latency.
        assertThat(charts.get("calls-latency").series().get(0).points()).hasSize(1);
    }

    @Test
    void batchesShowTheCpuTimeOfARecord() {
        Map<String, Chart> charts = CallCharts.of(List.of(result(cell("batch-of-4"), 24)));

        assertThat(charts).containsOnlyKeys("calls-batch-cpu");
        assertThat(charts.get("calls-batch-cpu").x().categories()).containsExactly("batch-of-4: 2.5");
        assertThat(charts.get("calls-batch-cpu").series())
                .extracting(bars -> bars.points().get(0).y())
                .containsExactly(5_000.0, 1_000.0);
    }
}
