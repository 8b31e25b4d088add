package dev.blobshuffle.bench.log;

import dev.blobshuffle.bench.log.LogPlan.Cell;
import dev.blobshuffle.bench.log.LogPlan.Snapshot;
import dev.blobshuffle.bench.log.LogPlan.Standby;
import dev.blobshuffle.core.time.SystemTime;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs every cell once per round. The designs of one kind of cell follow each other, in a different
 * order each round, so that ratios within a round compare adjacent runs. Owned by one thread.
 */
public final class LogRunner {
    private static final int WARM_UP_PUBLISHERS = 4;
    private static final int AGEING_SECONDS = 5;

    private final LogPlan plan;
    private final LogServers servers;
    private final Consumer<String> progress;

    /**
     * A runner.
     *
     * @param progress receives a line for each run
     */
    public LogRunner(LogPlan plan, LogServers servers, Consumer<String> progress) {
        this.plan = plan;
        this.servers = servers;
        this.progress = progress;
    }

    /** Runs everything. */
    public LogReport run() throws SQLException, InterruptedException {
        List<CommitResult> commits = new ArrayList<>();
        List<WalResult> wal = new ArrayList<>();
        List<ReaderResult> readers = new ArrayList<>();
        try (SystemTime time = new SystemTime()) {
            for (LogDesign design : plan.designs()) {
                CommitResult ignored = run(new Cell(design, Standby.NONE, Snapshot.NONE, WARM_UP_PUBLISHERS), 0, time);
            }
            for (int round = 0; round < plan.rounds(); round++) {
                progress.accept("round " + (round + 1) + " of " + plan.rounds());
                for (Cell cell : cells(round)) {
                    CommitResult result = run(cell, round, time);
                    progress.accept(result.line());
                    commits.add(result);
                }
                wal.addAll(wal(round));
                readers.addAll(readers(round, time));
            }
        }
        return new LogReport(commits, wal, readers);
    }

    private CommitResult run(Cell cell, int round, SystemTime time) throws SQLException, InterruptedException {
        Database database = servers.database(cell.standby());
        CommitResult result = new CommitRun(plan, database, servers.pids(cell.standby()), time).run(cell, round);
        database.drop();
        return result;
    }

    private List<WalResult> wal(int round) throws SQLException {
        List<WalResult> results = new ArrayList<>();
        for (int bytes : plan.walBytes()) {
            Database database = servers.database(plan.standbys().get(0));
            WalResult result = new WalRun(database).run(LogDesign.STAGED, bytes, round);
            database.drop();
            progress.accept(result.line());
            results.add(result);
        }
        return results;
    }

    private List<ReaderResult> readers(int round, SystemTime time) throws SQLException, InterruptedException {
        List<ReaderResult> results = new ArrayList<>();
        if (plan.readTime().isZero()) {
            return results;
        }
        for (Standby standby : plan.standbys()) {
            for (Snapshot snapshot : plan.snapshots()) {
                Database database = servers.database(standby);
                ReaderResult result = new ReaderRun(plan, database, time).run(standby, snapshot, round);
                database.drop();
                progress.accept(result.line());
                results.add(result);
            }
        }
        return results;
    }

    /**
     * The cells in the plan's order. Each group of designs is rotated by the number of the round.
     */
    private List<Cell> cells(int round) {
        List<Cell> all = plan.cells();
        int designs = plan.designs().size();
        for (int first = 0; first < all.size(); first += designs) {
            Collections.rotate(all.subList(first, first + designs), round);
        }
        return all;
    }

    /** The approximate duration of a plan. */
    public static Duration estimate(LogPlan plan) {
        Duration each = plan.warmUp().plus(plan.measured()).plusSeconds(1);
        Duration readers = plan.readTime()
                .plusSeconds(AGEING_SECONDS)
                .multipliedBy((long) plan.standbys().size() * plan.snapshots().size());
        return each.multipliedBy(plan.cells().size()).plus(readers).multipliedBy(plan.rounds());
    }
}
