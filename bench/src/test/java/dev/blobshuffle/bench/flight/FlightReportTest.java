package dev.blobshuffle.bench.flight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.flight.FlightPlan.Cell;
import dev.blobshuffle.bench.report.Goal;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.Series;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightReportTest {
    private final List<FlightResult> runs = new ArrayList<>();

    @Test
    void goalsAreMetOrMissed() throws Exception {
        add(FlightSystem.BLOBS, 100, 0, 28);
        add(FlightSystem.DAFT, 100, 0, 42);
        add(FlightSystem.BLOBS, 1000, 0, 50);
        add(FlightSystem.DAFT, 1000, 0, 40);

        List<Goal> goals = report(4).goals();

        assertThat(goals)
                .extracting(Goal::line)
                .containsExactly(
                        "met    N=100, lz4: CPU-s: 28.0, goal at most 30.0",
                        "met    N=100, lz4: CPU of Daft as a multiple of ours: 1.50, goal at least 1.00",
                        "MISSED N=1000, lz4: CPU-s: 50.0, goal at most 42.0",
                        "MISSED N=1000, lz4: CPU of Daft as a multiple of ours: 0.80, goal at least 1.00");
    }

    @Test
    void absoluteGoalsAreThoseOfTheirScale() throws Exception {
        add(FlightSystem.BLOBS, 100, 0, 7);
        assertThat(report(1).goals()).isEmpty();
    }

    @Test
    void ratiosAreThoseWithinARound() throws Exception {
        add(FlightSystem.BLOBS, 100, 0, 10);
        add(FlightSystem.DAFT, 100, 0, 20);
        add(FlightSystem.BLOBS, 100, 1, 100);
        add(FlightSystem.DAFT, 100, 1, 200);

        assertThat(report(1).goals()).singleElement().extracting(Goal::number).isEqualTo(2.0);
    }

    @Test
    void servingHasABarForEachServerAndCodec(@TempDir Path directory) throws Exception {
        Path json = Files.writeString(directory.resolve("serving.json"), """
                [{"system":"flight","codec":"lz4","server_per_gb":[0.28,0.25,0.3],"client_per_gb":[0.7,0.6,0.8]},
                 {"system":"flight","codec":"none","server_per_gb":[0.52,0.5,0.6],"client_per_gb":[0.8,0.7,0.9]},
                 {"system":"daft","codec":"none","server_per_gb":[0.47,0.4,0.5],"client_per_gb":[0.9,0.8,1]}]
                """);

        Map<String, Chart> charts = FlightCharts.ofServing(json);

        assertThat(charts.keySet()).containsExactly("serving-server-cpu", "serving-client-cpu");
        assertThat(charts.get("serving-server-cpu").series()).hasSize(2).satisfies(series -> {
            assertThat(series.get(0).points()).extracting(Series.Point::y).containsExactly(0.28, 0.52);
            assertThat(series.get(1).points()).extracting(Series.Point::x).containsExactly(1.0);
        });
    }

    @Test
    void aVoidRunJudgesNoGoal() throws Exception {
        add(FlightSystem.BLOBS, 100, 0, 10);
        runs.add(FlightResult.of(
                new Cell(FlightSystem.DAFT, 100, "lz4"), 0, properties("problem=count is 1, and that is 2")));

        FlightReport report = report(4);

        assertThat(report.isVerified()).isFalse();
        assertThat(report.isOwnVerified()).isTrue();
        assertThat(report.goals()).extracting(Goal::what).containsExactly("N=100, lz4: CPU-s");
        assertThat(report.text()).contains("no run was right");
    }

    @Test
    void eachPlotHasABarForEachCell() throws Exception {
        add(FlightSystem.BLOBS, 100, 0, 10);
        add(FlightSystem.DAFT, 100, 0, 20);

        assertThat(FlightCharts.of(report(1)).get("cpu").series())
                .extracting(series -> series.points().size())
                .containsExactly(1, 1);
    }

    private FlightReport report(double scale) {
        return new FlightReport(
                new FlightPlan(
                        List.of(FlightSystem.BLOBS, FlightSystem.DAFT),
                        scale,
                        List.of(100, 1000),
                        List.of("lz4"),
                        2,
                        Duration.ofSeconds(1)),
                runs);
    }

    private void add(FlightSystem system, int partitions, int round, double cpuSeconds) throws Exception {
        runs.add(FlightResult.of(
                new Cell(system, partitions, "lz4"),
                round,
                properties("problem=\nwall_seconds=1\npeak_memory_bytes=1\ncpu_seconds=" + cpuSeconds)));
    }

    private static Properties properties(String text) throws Exception {
        Properties properties = new Properties();
        properties.load(new StringReader(text));
        return properties;
    }
}
