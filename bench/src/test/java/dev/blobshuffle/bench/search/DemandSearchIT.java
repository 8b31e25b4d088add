package dev.blobshuffle.bench.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.run.BenchPlan;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.bench.workload.Workloads;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole search with real processes, very small. */
class DemandSearchIT {
    private static final Parameters SMALL = Parameters.defaults()
            .with("partitions", "2")
            .with("commit-interval-ms", "200")
            .with("warm-up-seconds", "1")
            .with("seconds", "3")
            .with("drain-seconds", "300");

    /** What any machine meets that is not stuck. */
    private static final Objectives LENIENT = new Objectives(1, OptionalDouble.of(1e9), 1, OptionalDouble.empty());

    @TempDir
    private Path directory;

    @Test
    void measuresOnWarmBrokers() throws Exception {
        BenchPlan plan = new BenchPlan(
                Workloads.named("uc3"),
                List.of(Variant.NATIVE, Variant.BLOBS_FILE),
                List.of(Cell.only(SMALL)),
                1,
                1,
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                directory,
                directory);
        SearchSettings settings = new SearchSettings(
                SearchSettings.Metric.DEMAND,
                LoadKind.named("sensors"),
                List.of(50L, 100L),
                List.of(1L),
                Strategy.named("linear"),
                ScalabilitySearch.Restriction.LOWER_BOUND,
                1,
                LENIENT);
        List<String> said = new ArrayList<>();
        DemandSearch search = new DemandSearch(plan, settings, Optional.empty(), said::add);

        Map<Long, OptionalLong> one = Map.of(50L, OptionalLong.of(1), 100L, OptionalLong.of(1));
        assertThat(search.run()).isEqualTo(Map.of("native", one, "blobs-file", one));
        assertThat(search.runs())
                .as("two loads of two variants, without those that warm up the brokers")
                .hasSize(4)
                .allMatch(RunResult::verified);
        assertThat(said)
                .filteredOn(line -> line.contains("without measuring it") || line.contains("sensors"))
                .extracting(line ->
                        line.strip().split("[ ,]+")[0] + " " + line.strip().split("[ ,]+")[1])
                .containsExactly(
                        "First native",
                        "First blobs-file",
                        "native 50",
                        "native 100",
                        "blobs-file 50",
                        "blobs-file 100");
        assertThat(search.cpu().lines()).hasSize(2).noneMatch(line -> line.contains("none"));
    }
}
