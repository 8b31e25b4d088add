package dev.blobshuffle.bench.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.log.LogPlan.Cell;
import dev.blobshuffle.bench.log.LogPlan.Snapshot;
import dev.blobshuffle.bench.log.LogPlan.Standby;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LogReportTest {
    private static final Cell STAGED = new Cell(LogDesign.STAGED, Standby.SYNCHRONOUS, Snapshot.NONE, 16);
    private final List<CommitResult> runs = new ArrayList<>();

    @Test
    void aRatioIsTheMedianOfRatiosWithinARound() {
        double[] staged = {1000, 300, 900};
        double[] locked = {100, 100, 150};
        for (int round = 0; round < 3; round++) {
            add(STAGED, round, staged[round], Optional.empty());
            add(STAGED.with(LogDesign.TOPIC_LOCK), round, locked[round], Optional.empty());
        }
        LogReport report = new LogReport(runs, List.of(), List.of());
        assertThat(report.ratio(STAGED, STAGED.with(LogDesign.TOPIC_LOCK), CommitResult::perSecond))
                .isEqualTo(6);
        assertThat(report.text())
                .contains("met    commits/s at 16 publishers with a synchronous standby, as a multiple of lock per"
                        + " topic: 6.0, goal at least 5.0")
                .doesNotContain("NaN");
        assertThat(report.isVerified()).isTrue();
    }

    @Test
    void cpuTimeIsCountedPerSecondAndPerCommit() {
        add(STAGED, 0, 1000, Optional.empty());
        CommitResult run = runs.get(0);
        assertThat(run.processors()).isEqualTo(1.5);
        assertThat(run.cpuMicros()).isEqualTo(1500);
    }

    @Test
    void anOldSnapshotMayHalveTheRateAndNotMore() {
        add(STAGED, 0, 1000, Optional.empty());
        add(STAGED.with(Snapshot.OLD), 0, 400, Optional.empty());
        assertThat(LogGoals.of(new LogReport(runs, List.of(), List.of())))
                .filteredOn(goal -> goal.what().contains("commits/s"))
                .singleElement()
                .satisfies(goal -> {
                    assertThat(goal.number()).isEqualTo(2.5);
                    assertThat(goal.isMet()).isFalse();
                });
    }

    @Test
    void theWalOfACommitIncludesItsPlace() {
        LogReport report =
                new LogReport(List.of(), List.of(new WalResult(LogDesign.STAGED, 1000, 0, 2000, 225)), List.of());
        assertThat(LogGoals.of(report))
                .singleElement()
                .satisfies(goal -> assertThat(goal.isMet()).isFalse());
    }

    @Test
    void oneWrongLogSpoilsTheReport() {
        add(STAGED, 0, 1000, Optional.empty());
        add(STAGED, 1, 1000, Optional.of("lost"));
        assertThat(new LogReport(runs, List.of(), List.of()).isVerified()).isFalse();
    }

    private void add(Cell cell, int round, double perSecond, Optional<String> problem) {
        Histogram micros = new Histogram(2);
        micros.recordValue(1000);
        runs.add(new CommitResult(cell, round, perSecond, 1, new CommitCpu(1, 0.5), micros, Map.of(), problem));
    }
}
