package dev.blobshuffle.bench.log;

import dev.blobshuffle.bench.log.LogPlan.Cell;
import dev.blobshuffle.bench.log.LogPlan.Snapshot;
import dev.blobshuffle.bench.log.LogPlan.Standby;
import dev.blobshuffle.bench.report.Goal;
import java.util.ArrayList;
import java.util.List;

/** The goals for a log, and whether it meets them. Goals whose cells were not run are left out. */
final class LogGoals {
    private static final int PUBLISHERS = 16;
    private static final double TIMES_TOPIC_LOCK = 5;
    private static final double TIMES_PARTITION_ROWS = 30;
    private static final double TIMES_OLD_SNAPSHOT = 2;
    private static final double READER_MEDIAN_MILLIS = 15;
    private static final double READER_TAIL_MILLIS = 60;
    private static final double WAL_BYTES = 1024;
    private static final double WAL_PER_BYTE = 1.2;

    private final LogReport report;
    private final List<Goal> goals = new ArrayList<>();

    private LogGoals(LogReport report) {
        this.report = report;
    }

    static List<Goal> of(LogReport report) {
        LogGoals goals = new LogGoals(report);
        goals.addRates();
        goals.addSnapshots();
        goals.addReaders();
        report.walMedians()
                .forEach((bytes, wal) -> goals.goals.add(new Goal(
                        "WAL bytes per commit of " + bytes + " bytes of entries",
                        wal,
                        false,
                        WAL_BYTES + WAL_PER_BYTE * bytes)));
        return goals.goals.stream()
                .filter(goal -> Double.isFinite(goal.number()))
                .toList();
    }

    private void addRates() {
        Cell staged = new Cell(LogDesign.STAGED, Standby.SYNCHRONOUS, Snapshot.NONE, PUBLISHERS);
        addRate(staged, LogDesign.TOPIC_LOCK, TIMES_TOPIC_LOCK);
        addRate(staged, LogDesign.PARTITION_ROWS, TIMES_PARTITION_ROWS);
    }

    private void addRate(Cell staged, LogDesign other, double limit) {
        goals.add(new Goal(
                "commits/s at " + PUBLISHERS + " publishers with a synchronous standby, as a multiple of "
                        + other.title(),
                report.ratio(staged, staged.with(other), CommitResult::perSecond),
                true,
                limit));
    }

    private void addReaders() {
        report.readerGroups().forEach((where, group) -> {
            goals.add(new Goal(
                    "acknowledged to reader, " + where + ", p50 ms",
                    LogReport.median(group, ReaderResult::medianMillis),
                    false,
                    READER_MEDIAN_MILLIS));
            goals.add(new Goal(
                    "acknowledged to reader, " + where + ", p95 ms",
                    LogReport.median(group, ReaderResult::tailMillis),
                    false,
                    READER_TAIL_MILLIS));
        });
    }

    private void addSnapshots() {
        for (Cell cell : report.cells()) {
            if (cell.design() == LogDesign.STAGED && cell.snapshot() == Snapshot.OLD) {
                String where = "an old snapshot, " + cell.publishers() + " publishers, "
                        + (cell.standby() == Standby.NONE ? "no standby: " : "synchronous standby: ");
                Cell without = cell.with(Snapshot.NONE);
                goals.add(new Goal(
                        where + "commits/s divided by",
                        report.ratio(without, cell, CommitResult::perSecond),
                        false,
                        TIMES_OLD_SNAPSHOT));
                goals.add(new Goal(
                        where + "p95 of a commit times",
                        report.ratio(cell, without, CommitResult::tailMillis),
                        false,
                        TIMES_OLD_SNAPSHOT));
            }
        }
    }
}
