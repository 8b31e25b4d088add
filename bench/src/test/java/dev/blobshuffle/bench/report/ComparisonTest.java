package dev.blobshuffle.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobshuffle.bench.application.Histograms;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.RunResults;
import dev.blobshuffle.bench.run.Variant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How runs are compared. */
class ComparisonTest {
    private final Comparison comparison = new Comparison(
            List.of(Variant.NATIVE, Variant.BLOBS_FILE),
            List.of(
                    Results.of(Variant.NATIVE, 0, 10, 4, 0),
                    Results.of(Variant.BLOBS_FILE, 0, 5, 2, 0),
                    Results.of(Variant.BLOBS_FILE, 1, 10, 3, 0),
                    Results.of(Variant.NATIVE, 1, 40, 4, 0),
                    Results.of(Variant.NATIVE, 2, 30, 4, 0),
                    Results.of(Variant.BLOBS_FILE, 2, 10, 1, 0)));

    @Test
    void ratioIsTheMedianOfRatiosWithinRepetitions() {
        Spread rate =
                comparison.ratio(RunResults.ONLY, Variant.BLOBS_FILE, Variant.NATIVE, RunResult::recordsPerSecond);
        assertThat(rate.median()).isCloseTo(3, within(1e-9));
        assertThat(rate.min()).isCloseTo(2, within(1e-9));
        assertThat(rate.max()).isCloseTo(4, within(1e-9));
        assertThat(comparison
                        .ratio(RunResults.ONLY, Variant.BLOBS_FILE, Variant.NATIVE, RunResult::allCpu)
                        .median())
                .isCloseTo(0.5, within(1e-9));
        assertThat(ResultTable.of(comparison)).contains("blobs-file").contains("3.00  0.50");
    }

    @Test
    void compilersAreApart() {
        RunResult run = Results.of(Variant.NATIVE, 0, 1, 4, 3);

        assertThat(run.applicationCpu()).isCloseTo(4, within(1e-9));
        assertThat(run.allCpu()).isCloseTo(8, within(1e-9));
        assertThat(run.allCpuWithCompilers()).isCloseTo(11, within(1e-9));
    }

    @Test
    void cpuTimeOfKilledProcessesIsNotShownAsNone() {
        RunResult killed = RunResults.withKills(Results.of(Variant.NATIVE, 0, 1, 4, 3));

        String table = ResultTable.of(new Comparison(List.of(Variant.NATIVE), List.of(killed)));

        assertThat(killed.compilerCpu()).isNaN();
        assertThat(table).containsPattern("native +1 +1048\\.6 +- +- +- +- +5");
    }

    @Test
    void variantsThatDidNotRunAreNamed() {
        Comparison part = new Comparison(
                List.of(Variant.NATIVE, Variant.NATIVE_TUNED), List.of(Results.of(Variant.NATIVE, 0, 10, 4, 0)));

        assertThat(ResultTable.of(part)).containsPattern("native-tuned +0 left out");
    }

    @Test
    void costOfASmallScaleIsThatOfTheBlobsThatItStandsFor() {
        Cell small = Cell.only(Parameters.defaults().with("store-scale", "16").with("instances", "2"));
        Comparison whole =
                new Comparison(List.of(Variant.BLOBS_S3), List.of(Results.of(Variant.BLOBS_S3, 0, 200, 4, 0)));
        Comparison scaled =
                new Comparison(List.of(Variant.BLOBS_S3), List.of(Results.of(small, Variant.BLOBS_S3, 0, 200)));

        // 64 puts and 128 gets per GiB, and an hour's storage of a GiB per second.
        double requests = 3600 * (64 * 0.005 + 128 * 0.0004) / 1000;
        double storage = 3600 * 0.023 / 730;
        assertThat(whole.runs().get(0).s3UsdPerHour().orElseThrow()).isCloseTo(requests + storage, within(1e-6));
        assertThat(scaled.runs().get(0).s3UsdPerHour().orElseThrow()).isCloseTo(requests / 16 + storage, within(1e-6));
        assertThat(ResultTable.of(whole)).contains("2.6 MiB/s per instance\n");
        assertThat(ResultTable.of(scaled)).contains("41.0 MiB/s per instance", "measured 2.6", "store-scale=16");
    }

    @Test
    void oneWrongRunSpoilsTheReport() {
        RunResult good = Results.of(Variant.NATIVE, 0, 1, 4, 0);

        assertThat(new Comparison(List.of(Variant.NATIVE), List.of(good)).isVerified())
                .isTrue();
        assertThat(new Comparison(List.of(Variant.NATIVE), List.of(good, RunResults.wrong(good))).isVerified())
                .isFalse();
    }

    @Test
    void jsonHasTheKeysThatAreDocumented() {
        Map<String, Object> json = comparison.asJson();

        Map<?, ?> run = (Map<?, ?>) ((List<?>) json.get("runs")).get(1);
        assertThat(run.keySet().stream().map(Object::toString).toList())
                .contains(
                        "workload",
                        "variant",
                        "parameters",
                        "records",
                        "verified",
                        "throughput_bytes_per_second",
                        "cpu_seconds_per_gib",
                        "latency_ms",
                        "shuffle_broker_bytes",
                        "notifications",
                        "mean_blob_bytes",
                        "store_puts",
                        "store_gets",
                        "cache_reads",
                        "put_latency_ms",
                        "get_latency_ms");
        assertThat(((Map<?, ?>) run.get("cpu_seconds_per_gib"))
                        .keySet().stream().map(Object::toString).toList())
                .contains("application", "brokers", "jit");
        assertThat(((Map<?, ?>) run.get("latency_ms")).get("p50")).isEqualTo(2500.607);
        Map<?, ?> histograms = (Map<?, ?>) run.get(RunResult.HISTOGRAMS);
        assertThat(Histograms.parse((String) histograms.get("latency")).getTotalCount())
                .isEqualTo(1000);
        Map<?, ?> ratio = (Map<?, ?>) ((List<?>) json.get("ratios")).get(0);
        assertThat(((Map<?, ?>) ratio.get("throughput"))
                        .keySet().stream().map(Object::toString).toList())
                .containsExactly("median", "min", "max");
    }

    @Test
    void csvHasALineForEachRun() {
        String csv = ResultCsv.of(comparison.runs());

        assertThat(csv.lines())
                .hasSize(7)
                .first()
                .asString()
                .contains("cpu_seconds_per_gib.application")
                .doesNotContain("histogram");
        assertThat(csv.lines().map(line -> line.split(",", -1).length).distinct())
                .hasSize(1);
    }
}
