package dev.blobshuffle.kstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, real faults, every record checked: {@code docs/testing/chaos.md}. */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class ChaosIT {
    @TempDir
    private Path directory;

    @Test
    void everyRecordComesOutOnceAndInOrder() throws Exception {
        assertRight(ChaosOptions.given());
    }

    /** At night: {@code ClientSimulationTest} and the drawn topologies run at-least-once too. */
    @Tag("nightly")
    @Test
    void everyRecordComesOutAtLeastOnceAndReDeliveriesKeepTheOrder() throws Exception {
        assertRight(ChaosOptions.atLeastOnce());
    }

    @Tag("nightly")
    @Test
    void everyRecordComesOutOnceAndInOrderUnderEveryKindOfFault() throws Exception {
        assertRight(ChaosOptions.everyKind());
    }

    @Tag("nightly")
    @Test
    void everyRecordComesOutOnceAndInOrderBehindOperators() throws Exception {
        assertRight(ChaosOptions.ofOperators());
    }

    @Tag("nightly")
    @Test
    void everyRecordComesOutOnceAndInOrderBehindParallelCalls() throws Exception {
        assertRight(ChaosOptions.ofKeyParallel());
    }

    @Tag("nightly")
    @Test
    void everyRecordComesOutOnceAndInOrderInThreeZones() throws Exception {
        assertRight(ChaosOptions.inZones());
    }

    private void assertRight(ChaosOptions options) throws Exception {
        ChaosReport report = new ChaosRun(options, directory).run();

        System.out.println(report);
        assertThat(report.verdict().sent()).isPositive();
        if (options.isExactlyOnce()) {
            assertThat(report.verdict()).matches(ChaosLedger.Verdict::isExact, "exact");
        } else {
            assertThat(report.verdict()).matches(ChaosLedger.Verdict::isWithoutLoss, "without loss");
            if (options.isOrdered()) {
                assertThat(report.verdict()).matches(ChaosLedger.Verdict::isOrdered, "in order");
            }
        }
        // On a busy machine a target may be idle now and then; most faults must have hit something.
        assertThat(report.hits().stream().filter(ChaosReport.Hit::isEffective).count())
                .isGreaterThanOrEqualTo(report.hits().size() * 3 / 4);
    }

    /** The control: if commits do not wait for uploads, this test must detect it. */
    @Tag("nightly")
    @Test
    void recordsAreLostWithoutTheDrainBeforeCommits() throws Exception {
        ChaosReport report = new ChaosRun(ChaosOptions.control(), directory).run();

        System.out.println(report);
        assertThat(report.verdict().skipped())
                .as("records that are missing although later ones came out")
                .isPositive();
    }
}
