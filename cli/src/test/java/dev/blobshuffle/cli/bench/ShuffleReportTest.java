package dev.blobshuffle.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How runs are compared. */
class ShuffleReportTest {
    private static RunResult run(Variant variant, int repetition, double seconds, double cpu, double compilers) {
        return new RunResult(
                variant,
                repetition,
                seconds,
                1000,
                1,
                new CpuTime(cpu + compilers, Map.of("C CompilerThre", compilers)),
                new CpuTime(cpu, Map.of()),
                true);
    }

    @Test
    void ratioIsTheMedianOfRatiosWithinRepetitions() {
        var report = new ShuffleReport(
                1,
                List.of(Variant.NATIVE, Variant.BLOBS_FILE),
                List.of(
                        run(Variant.NATIVE, 0, 10, 4, 0),
                        run(Variant.BLOBS_FILE, 0, 5, 2, 0),
                        run(Variant.BLOBS_FILE, 1, 10, 3, 0),
                        run(Variant.NATIVE, 1, 40, 4, 0),
                        run(Variant.NATIVE, 2, 30, 4, 0),
                        run(Variant.BLOBS_FILE, 2, 10, 1, 0)));

        assertThat(report.ratio(Variant.BLOBS_FILE, Variant.NATIVE, RunResult::recordsPerSecond))
                .isCloseTo(3, within(1e-9));
        assertThat(report.ratio(Variant.BLOBS_FILE, Variant.NATIVE, RunResult::allCpu))
                .isCloseTo(0.5, within(1e-9));
        assertThat(report.table()).contains("blobs-file").contains("3.00  0.50");
    }

    @Test
    void compilersAreApart() {
        RunResult run = run(Variant.NATIVE, 0, 1, 4, 3);

        assertThat(run.applicationCpu()).isCloseTo(4, within(1e-9));
        assertThat(run.allCpu()).isCloseTo(8, within(1e-9));
        assertThat(run.allCpuWithCompilers()).isCloseTo(11, within(1e-9));
    }

    @Test
    void oneWrongRunSpoilsTheReport() {
        RunResult good = run(Variant.NATIVE, 0, 1, 4, 0);
        RunResult bad = new RunResult(Variant.NATIVE, 1, 1, 1, 1, good.application(), good.brokers(), false);

        assertThat(new ShuffleReport(1, List.of(Variant.NATIVE), List.of(good)).isVerified())
                .isTrue();
        assertThat(new ShuffleReport(1, List.of(Variant.NATIVE), List.of(good, bad)).isVerified())
                .isFalse();
    }
}
