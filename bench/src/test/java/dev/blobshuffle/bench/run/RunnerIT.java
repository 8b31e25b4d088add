package dev.blobshuffle.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.process.Directories;
import dev.blobshuffle.bench.workload.Workloads;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole runs with real processes, very small. What they measure is not asserted: on a busy machine
 * nothing may come out in the measured seconds. What comes out in the end must be exact.
 */
class RunnerIT {
    private static final Parameters SMALL = Parameters.defaults()
            .with("records", "4000")
            .with("warm-up-records", "0")
            .with("instances", "1")
            .with("partitions", "2")
            .with("keys", "20")
            .with("commit-interval-ms", "200")
            .with("warm-up-seconds", "1")
            .with("drain-seconds", "300");
    private static final Parameters MATCHES = SMALL.with("instances", "2")
            .with("rate", "400")
            .with("seconds", "6")
            .with("selectivity", "2")
            .with("output-rate", "2")
            .with("guarantee", "exactly_once_v2")
            .with("consumer.session.timeout.ms", "6000");

    /** A broker for the tests that need no more, and no {@link Runner}. */
    private static Cluster cluster;

    private static int runs;

    @TempDir
    private static Path data;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startBroker() {
        cluster = Cluster.start(1, data);
    }

    @AfterAll
    static void stopBroker() {
        cluster.close();
    }

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

    private Run run(String workload, Parameters parameters, Variant variant, String input) throws Exception {
        BenchPlan plan = plan(workload, parameters, variant);
        return new Run(plan, cluster, plan.cells().get(0), variant, 0, workload + "-" + runs++, input);
    }

    /** A run on the shared broker over an input that is sent meanwhile. */
    private RunResult followed(String workload, Parameters parameters) throws Exception {
        try (Run run = run(workload, parameters, Variant.BLOBS_FILE, "followed-" + runs)) {
            return exact(run.follow());
        }
    }

    private static RunResult exact(RunResult result) {
        assertThat(result.problem().filter(problem -> !problem.startsWith("not measured")))
                .isEmpty();
        return result;
    }

    @Test
    void windowsAreCompleteNativelyAndThroughBlobs() throws Exception {
        CheckedInput input = written("fanout");
        try (Run run = run("fanout", SMALL, Variant.NATIVE, input.topic())) {
            assertThat(run.drain(input).problem()).isEmpty();
        }
        try (Run run = run("fanout", SMALL, Variant.BLOBS_FILE, input.topic())) {
            RunResult result = run.drain(input);
            assertThat(result.problem()).isEmpty();
            assertThat(result.applicationCpu()).isNotNegative();
            assertThat(result.counter("notifications-sent")).isPositive();
            assertThat(result.latencyMillis(50)).as("all records lay ready").isEmpty();
        }
        assertThat(directory).isEmptyDirectory();
    }

    /** An input that lies ready on the shared broker. */
    private CheckedInput written(String workload) throws Exception {
        Path load = directory.resolve("load");
        CheckedInput input = CheckedInput.write(cluster, Workloads.named(workload), SMALL, "ready-" + workload, load);
        Directories.delete(load);
        return input;
    }

    @Test
    void operatorsShuffleWhatTheClientSupplierDoes() throws Exception {
        CheckedInput input =
                CheckedInput.write(cluster, Workloads.named("shuffle"), SMALL, "lies-ready", directory.resolve("load"));
        try (Run run = run("shuffle", SMALL, Variant.OPERATORS_FILE, input.topic())) {
            RunResult result = run.drain(input);
            assertThat(result.problem()).isEmpty();
            assertThat(result.counter("notifications-sent")).isPositive();
            assertThat(result.counter("shuffle-broker-bytes")).isLessThan(1_000_000);
        }
    }

    @Test
    void outputIsCompleteAlthoughAnInstanceJoinsAndLeavesThoseThatShareTheirCaches() throws Exception {
        RunResult result = followed(
                "matcher", MATCHES.with("joins", "1").with("zone-cache", "true").with("cache-bytes", "64 MiB"));

        assertThat(result.counter(Measured.INSTANCES)).isEqualTo(3);
        assertThat(result.allCpu()).as("nobody was killed").isPositive();
        assertThat(result.counter("cache-zone-hits")).isPositive();
    }

    /** At night: ChaosIT kills more, and in every build. */
    @Test
    @Tag("nightly")
    void matchesAreExactAlthoughInstancesAndABrokerAreKilledAndTheStoreFails() throws Exception {
        Parameters parameters = MATCHES.with("kills", "1")
                .with("broker-kills", "1")
                .with("store-faults", "250")
                .with("replication", "3");

        List<String> progress = new ArrayList<>();
        List<RunResult> results = new Runner(plan("matcher", parameters, Variant.BLOBS_FILE), progress::add).run();

        assertThat(progress).anySatisfy(line -> assertThat(line).contains("blobs-file"));
        assertThat(directory).isEmptyDirectory();
        RunResult result = exact(results.get(0));
        assertThat(result.latencyMillis(50).orElseThrow()).isPositive();
        // The window alone has a dozen requests, and all of them may succeed.
        assertThat(result.counter("store-failures-total"))
                .as("faults that the surviving instances saw")
                .isPositive();
    }

    @Test
    void hierarchyOfGroupsIsSummedUpThroughBlobs() throws Exception {
        RunResult result =
                followed("uc4", SMALL.with("rate", "64").with("groups", "2").with("seconds", "6"));

        assertThat(result.samples()).isNotEmpty();
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
