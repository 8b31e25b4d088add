package dev.blobshuffle.bench.log;

import dev.blobshuffle.bench.log.LogPlan.Cell;
import dev.blobshuffle.bench.log.PublishingThread.Phase;
import dev.blobshuffle.core.time.SystemTime;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;

/**
 * Publishers that commit as fast as a database acknowledges, each through its own connection. A
 * session beside them sequences. Owned by one thread.
 */
final class CommitRun {
    private static final Duration BETWEEN_SEQUENCINGS = Duration.ofMillis(5);
    private static final double NANOS_PER_SECOND = 1e9;

    private final LogPlan plan;
    private final Database database;
    private final List<Long> serverPids;
    private final SystemTime time;

    CommitRun(LogPlan plan, Database database, List<Long> serverPids, SystemTime time) {
        this.plan = plan;
        this.database = database;
        this.serverPids = List.copyOf(serverPids);
        this.time = time;
    }

    /** Runs one cell in an empty schema, and checks the log. */
    CommitResult run(Cell cell, int round) throws SQLException, InterruptedException {
        MeasuredLog log = cell.design().log();
        database.clear();
        List<Connection> connections = new ArrayList<>();
        try (Connection own = database.connect()) {
            log.create(own, Database.SCHEMA);
            try (HeldSnapshot snapshot = HeldSnapshot.of(cell.snapshot(), database)) {
                AtomicReference<Phase> phase = new AtomicReference<>(Phase.WARM_UP);
                List<PublishingThread> publishers = new ArrayList<>();
                for (int number = 0; number < cell.publishers(); number++) {
                    Connection connection = database.connect();
                    connections.add(connection);
                    publishers.add(new PublishingThread(
                            log.open(connection, number), LogCheck.entries(plan.entryBytes(), number), phase, time));
                }
                Measured measured = measure(log, publishers, phase);
                Map<String, Long> deadRows = deadRows(own);
                long[] acknowledged = publishers.stream()
                        .mapToLong(PublishingThread::acknowledged)
                        .toArray();
                Optional<String> problem = new LogCheck(acknowledged).read(own, log);
                return new CommitResult(
                        cell,
                        round,
                        measured.commits / measured.seconds,
                        measured.seconds,
                        measured.cpu,
                        measured.micros,
                        deadRows,
                        problem);
            }
        } finally {
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }

    private record Measured(double commits, double seconds, CommitCpu cpu, Histogram micros) {}

    private Measured measure(MeasuredLog log, List<PublishingThread> publishers, AtomicReference<Phase> phase)
            throws SQLException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(publishers.size() + 1);
        try (Connection sequencing = database.connect()) {
            Future<?> sequencer = threads.submit(() -> sequence(log, sequencing, phase));
            List<Future<Histogram>> all =
                    publishers.stream().map(threads::submit).toList();
            await(plan.warmUp(), all);
            CommitCpu used = CommitCpu.now(serverPids);
            long start = time.nanos();
            long before = sum(publishers);
            phase.set(Phase.MEASURED);
            await(plan.measured(), all);
            long commits = sum(publishers) - before;
            double seconds = (time.nanos() - start) / NANOS_PER_SECOND;
            CommitCpu cpu = CommitCpu.now(serverPids).since(used);
            phase.set(Phase.OVER);
            Histogram micros = all.get(0).get();
            for (Future<Histogram> one : all.subList(1, all.size())) {
                micros.add(one.get());
            }
            sequencer.get();
            while (log.sequence(sequencing)) {
                // Sequences until nothing is left.
            }
            return new Measured(commits, seconds, cpu, micros);
        } catch (ExecutionException e) {
            throw new SQLException("Cannot measure the log: " + e.getMessage(), e);
        } finally {
            phase.set(Phase.OVER);
            threads.shutdownNow();
        }
    }

    private static @org.jspecify.annotations.Nullable Void sequence(
            MeasuredLog log, Connection connection, AtomicReference<Phase> phase)
            throws SQLException, InterruptedException {
        while (phase.get() != Phase.OVER) {
            if (!log.sequence(connection)) {
                Thread.sleep(BETWEEN_SEQUENCINGS.toMillis());
            }
        }
        return null;
    }

    /** Waits, and fails at once when a publisher does. */
    private static void await(Duration wait, List<Future<Histogram>> publishers)
            throws ExecutionException, InterruptedException {
        try {
            Histogram ignored = publishers.get(0).get(wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            for (Future<Histogram> publisher : publishers) {
                if (publisher.isDone()) {
                    Histogram ignored = publisher.get();
                }
            }
        }
    }

    private static long sum(List<PublishingThread> publishers) {
        return publishers.stream().mapToLong(PublishingThread::acknowledged).sum();
    }

    private static Map<String, Long> deadRows(Connection connection) throws SQLException {
        Map<String, Long> rows = new TreeMap<>();
        try (PreparedStatement query = connection.prepareStatement(
                "select relname, n_dead_tup from pg_stat_user_tables where schemaname = ? and n_dead_tup > 0")) {
            query.setString(1, Database.SCHEMA);
            try (ResultSet tables = query.executeQuery()) {
                while (tables.next()) {
                    rows.put(tables.getString(1), tables.getLong(2));
                }
            }
        }
        return rows;
    }
}
