package dev.blobshuffle.bench.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.report.Goal;
import dev.blobshuffle.s3sim.Operation;
import dev.blobshuffle.s3sim.RequestCounts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SparkReportTest {
    private final List<SparkResult> runs = new ArrayList<>();

    @Test
    void ratiosAreThoseOfMeansWithinARound() throws Exception {
        add(SparkSystem.NATIVE, 0, 8);
        add(SparkSystem.NATIVE, 0, 12);
        add(SparkSystem.BLOBS, 0, 20);
        add(SparkSystem.NATIVE, 1, 100);
        add(SparkSystem.BLOBS, 1, 100);

        assertThat(report().ratio("join", SparkSystem.BLOBS, SparkResult::cpuSeconds))
                .satisfies(spread -> {
                    assertThat(spread.min()).isEqualTo(1.0);
                    assertThat(spread.max()).isEqualTo(2.0);
                    assertThat(spread.median()).isEqualTo(1.5);
                });
    }

    @Test
    void eachShuffleOfOursHasItsGoals() throws Exception {
        for (SparkSystem system : SparkSystem.values()) {
            add(system, 0, system == SparkSystem.NATIVE ? 10 : 11.2);
        }

        assertThat(report().goals())
                .extracting(Goal::line)
                .containsExactly(
                        "MISSED join, blobs, write-behind: CPU as a multiple of Spark's: 1.12, goal at most 1.05",
                        "met    join, blobs, write-behind: time as a multiple of Spark's: 1.00, goal at most 1.10",
                        "met    join, blobs, uploaded: CPU as a multiple of Spark's: 1.12, goal at most 1.15",
                        "met    join, blobs, uploaded: time as a multiple of Spark's: 1.00, goal at most 1.10",
                        "met    join, blobs, sync: CPU as a multiple of Spark's: 1.12, goal at most 1.30");
    }

    @Test
    void aRowMoreVoidsTheRun() throws Exception {
        add(SparkSystem.NATIVE, 0, 10);
        assertThat(report().isVerified()).isTrue();

        runs.add(result(SparkSystem.SYNC, 0, 10, 6));

        assertThat(report().isVerified()).isFalse();
    }

    @Test
    void aWorkloadThatDidNotRunVoidsTheRun() {
        assertThat(report().isVerified()).isFalse();
    }

    @Test
    void requestsAreThoseOfTheStore() {
        RequestCounts counts = new RequestCounts(
                Map.of(Operation.PUT_OBJECT, 3L, Operation.GET_OBJECT, 4L, Operation.LIST_OBJECTS, 5L),
                Map.of(),
                6_000_000,
                7_000_000);

        assertThat(SparkRequests.of(SparkSystem.SYNC, 1, counts).line())
                .isEqualTo("blobs, sync          round 2: 3 PUT, 4 GET, 5 others; 6 MB written, 7 MB read");
    }

    @Test
    void eachPlotHasABarForEachWorkload() throws Exception {
        add(SparkSystem.NATIVE, 0, 10);
        add(SparkSystem.BLOBS, 0, 20);

        assertThat(report().charts().get("spark-cpu").series())
                .filteredOn(series -> !series.points().isEmpty())
                .hasSize(2)
                .allSatisfy(series -> assertThat(series.points()).hasSize(1));
        assertThat(report().text()).contains("2.00 (2.00-2.00)");
    }

    @Test
    void aPlanThatCannotRunIsRefused() {
        assertThatThrownBy(() -> plan("4.2", List.of("join")))
                .hasMessage("Cannot run Spark 4.2: give a release such as --spark-version=4.2.0.");
        assertThatThrownBy(() -> plan("4.2.0", List.of("joins")))
                .hasMessage("Cannot run workloads [joins]: there are repartition, sort, join, rank.");
    }

    @Test
    void settingsNameThePluginAndItsPlace() {
        Path jar = Path.of("/jars/ours.jar");

        assertThat(SparkSystem.NATIVE.settings(jar, "s3://ours", "s3://theirs")).isEmpty();
        assertThat(SparkSystem.SYNC.settings(jar, "s3://ours", "s3://theirs"))
                .contains("spark.blobshuffle.store=s3://ours", "spark.blobshuffle.durability=sync")
                .contains("spark.executor.extraClassPath=/jars/ours.jar");
        assertThat(SparkSystem.OBJECTS.settings(jar, "s3://ours", "s3://theirs"))
                .contains("spark.shuffle.s3.rootDir=s3://theirs")
                .noneMatch(setting -> setting.contains("blobshuffle"));
    }

    private SparkReport report() {
        return new SparkReport(plan("4.2.0", List.of("join")), runs, List.of());
    }

    private static SparkPlan plan(String version, List<String> workloads) {
        return new SparkPlan(
                version,
                List.of(SparkSystem.values()),
                workloads,
                1000,
                4,
                8,
                2,
                2,
                Duration.ofMinutes(1),
                Optional.empty(),
                Map.of());
    }

    private void add(SparkSystem system, int round, double cpuSeconds) throws Exception {
        runs.add(result(system, round, cpuSeconds, 5));
    }

    private static SparkResult result(SparkSystem system, int round, double cpuSeconds, int count) throws Exception {
        return SparkResult.of(
                system,
                round,
                new ObjectMapper()
                        .readTree("{\"workload\":\"join\",\"count\":" + count
                                + ",\"sum\":\"12\",\"wall_seconds\":3,\"cpu_seconds\":" + cpuSeconds + "}"));
    }
}
