package dev.blobshuffle.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.workload.Workloads;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs with real processes, very small. */
class RunnerIT {
    private static final Parameters SMALL = Parameters.defaults()
            .with("records", "4000")
            .with("warm-up-records", "0")
            .with("partitions", "2")
            .with("keys", "20")
            .with("commit-interval-ms", "200")
            .with("warm-up-seconds", "1")
            .with("drain-seconds", "300");

    @TempDir
    private Path directory;

    private BenchPlan plan(String workload, Parameters parameters, Variant... variants) {
        return new BenchPlan(
                Workloads.named(workload),
                List.of(variants),
                List.of(Cell.only(parameters)),
                1,
                1,
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                directory,
                directory);
    }

    private static List<RunResult> verified(BenchPlan plan) throws Exception {
        List<RunResult> results = new Runner(plan, line -> {}).run();
        assertThat(results).hasSize(plan.variants().size()).allSatisfy(result -> {
            assertThat(result.problem()).isEmpty();
            assertThat(result.applicationCpu() < 0).isFalse();
        });
        return results;
    }

    @Test
    void windowsAreCompleteNativelyAndThroughBlobs() throws Exception {
        List<RunResult> results = verified(plan("fanout", SMALL, Variant.NATIVE, Variant.BLOBS_FILE));

        RunResult blobs = results.stream()
                .filter(result -> result.variant() == Variant.BLOBS_FILE)
                .findFirst()
                .orElseThrow();
        assertThat(blobs.counter("notifications-sent")).isPositive();
        assertThat(blobs.latencyMillis(50)).as("all records lay ready").isEmpty();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void operatorsShuffleWhatTheClientSupplierDoes() throws Exception {
        List<RunResult> results = verified(plan("shuffle", SMALL, Variant.BLOBS_FILE, Variant.OPERATORS_FILE));

        assertThat(results).allSatisfy(result -> {
            assertThat(result.counter("notifications-sent")).isPositive();
            assertThat(result.counter("shuffle-broker-bytes")).isLessThan(1_000_000);
        });
    }

    @Test
    void instancesOfAZoneShareTheirCaches() throws Exception {
        Parameters parameters = SMALL.with("rate", "400")
                .with("warm-up-seconds", "5")
                .with("seconds", "8")
                .with("zone-cache", "true")
                .with("cache-bytes", "64 MiB");

        RunResult result =
                verified(plan("shuffle", parameters, Variant.BLOBS_FILE)).get(0);

        assertThat(result.counter("cache-zone-hits")).isPositive();
    }

    @Test
    void outputIsCompleteAlthoughAnInstanceJoinsAndLeaves() throws Exception {
        Parameters parameters = SMALL.with("rate", "400")
                .with("warm-up-seconds", "5")
                .with("seconds", "12")
                .with("joins", "1")
                .with("selectivity", "2")
                .with("output-rate", "2")
                .with("guarantee", "exactly_once_v2")
                .with("consumer.session.timeout.ms", "6000");

        RunResult result =
                verified(plan("matcher", parameters, Variant.BLOBS_FILE)).get(0);

        assertThat(result.counter(Measured.INSTANCES)).isEqualTo(3);
        assertThat(result.allCpu()).as("nobody was killed").isPositive();
    }

    @Test
    void matchesAreExactAlthoughInstancesAndABrokerAreKilledAndTheStoreFails() throws Exception {
        Parameters parameters = SMALL.with("rate", "400")
                // On a busy machine new processes hand out nothing for seconds.
                .with("warm-up-seconds", "5")
                .with("seconds", "8")
                .with("kills", "1")
                .with("broker-kills", "1")
                .with("store-faults", "250")
                .with("replication", "3")
                .with("selectivity", "2")
                .with("output-rate", "2")
                .with("guarantee", "exactly_once_v2")
                .with("consumer.session.timeout.ms", "6000");

        RunResult result =
                verified(plan("matcher", parameters, Variant.BLOBS_FILE)).get(0);

        assertThat(result.latencyMillis(50).orElseThrow()).isPositive();
        // The window alone has a dozen requests, and all of them may succeed.
        assertThat(result.counter("store-failures-total"))
                .as("faults that the surviving instances saw")
                .isPositive();
    }

    @Test
    void hierarchyOfGroupsIsSummedUpThroughBlobs() throws Exception {
        Parameters parameters = SMALL.with("rate", "64").with("groups", "2").with("seconds", "14");

        List<String> progress = new ArrayList<>();
        List<RunResult> results = new Runner(plan("uc4", parameters, Variant.BLOBS_FILE), progress::add).run();

        assertThat(results.get(0).problem()).isEmpty();
        assertThat(results.get(0).samples()).isNotEmpty();
        assertThat(progress).anySatisfy(line -> assertThat(line).contains("blobs-file"));
    }

    @Test
    void plansThatCannotWorkAreRefused() {
        assertThatThrownBy(() -> plan("uc2", SMALL.with("kills", "1"), Variant.NATIVE))
                .hasMessageContaining("matcher");
        assertThatThrownBy(() -> plan("matcher", SMALL.with("kills", "1"), Variant.NATIVE))
                .hasMessageContaining("rate=1000");
        assertThatThrownBy(
                        () -> plan("matcher", SMALL.with("rate", "10").with("broker-kills", "1"), Variant.BLOBS_FILE))
                .hasMessageContaining("replication=3");
        assertThatThrownBy(() -> plan("shuffle", SMALL.with("store-faults", "10"), Variant.BLOBS_FILE))
                .hasMessageContaining("matcher");
        assertThatThrownBy(() -> plan("shuffle", SMALL.with("joins", "1"), Variant.NATIVE))
                .hasMessageContaining("matcher");
        assertThatThrownBy(() -> plan("shuffle", SMALL.with("input-replication", "3"), Variant.NATIVE))
                .hasMessageContaining("3 replicas")
                .hasMessageContaining("--with replication=3");
        assertThatThrownBy(() -> plan("uc2", SMALL, Variant.OPERATORS_FILE)).hasMessageContaining("workload shuffle");
        assertThatThrownBy(() -> plan("shuffle", SMALL.with("record-bytes", "8"), Variant.NATIVE))
                .hasMessageContaining("8 bytes");
    }
}
