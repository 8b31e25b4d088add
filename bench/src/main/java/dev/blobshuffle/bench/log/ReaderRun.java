package dev.blobshuffle.bench.log;

import dev.blobshuffle.bench.log.LogPlan.Snapshot;
import dev.blobshuffle.bench.log.LogPlan.Standby;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.tail.LogTails;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Publishers at a fixed rate through one instance of module {@code postgresql}, and a reader that
 * follows their topic through another. Before that, the log gets many commits, and an old snapshot
 * keeps their dead rows. Owned by one thread.
 */
final class ReaderRun {
    /** Commits before the measured ones. */
    private static final int BACKLOG = 8000;

    private static final int BACKLOG_PUBLISHERS = 16;
    private static final int PUBLISHERS = 4;
    private static final int TOPIC = 1;
    private static final long BUDGET = 16 << 20;
    private static final Duration ANSWER = Duration.ofSeconds(15);
    private static final Duration AGAIN = Duration.ofMillis(5);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MICRO = 1000;

    private final LogPlan plan;
    private final Database database;
    private final SystemTime time;

    ReaderRun(LogPlan plan, Database database, SystemTime time) {
        this.plan = plan;
        this.database = database;
        this.time = time;
    }

    ReaderResult run(Standby standby, Snapshot snapshot, int round) throws SQLException, InterruptedException {
        MeasuredLog log = LogDesign.STAGED.log();
        database.clear();
        try (Connection own = database.connect()) {
            log.create(own, Database.SCHEMA);
            try (HeldSnapshot held = HeldSnapshot.of(snapshot, database);
                    CommitLog publishing = CommitLogs.open(database.logUri(), "bench-publishers", time);
                    CommitLog reading = CommitLogs.open(database.logUri(), "bench-reader", time);
                    LogTails tails = new LogTails(reading, BUDGET, time)) {
                age(log, own);
                long start = await(publishing.look(Set.of(TOPIC))).get(0).next();
                TailReader reader = new TailReader(tails, TOPIC, start, PUBLISHERS, time);
                return measure(publishing, reader, standby, snapshot, round);
            }
        } catch (ExecutionException e) {
            throw new SQLException("Cannot measure the reader: " + e.getMessage(), e);
        }
    }

    /** Commits that leave dead rows behind. */
    private void age(MeasuredLog log, Connection sequencing)
            throws SQLException, InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(BACKLOG_PUBLISHERS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int publisher = 0; publisher < BACKLOG_PUBLISHERS; publisher++) {
                int its = publisher;
                all.add(threads.submit(() -> {
                    byte[] entries = LogCheck.entries(plan.entryBytes(), its);
                    try (Connection connection = database.connect();
                            MeasuredLog.Commits commits = log.open(connection, its)) {
                        for (int number = 0; number < BACKLOG / BACKLOG_PUBLISHERS; number++) {
                            commits.commit(number, entries);
                        }
                    }
                    return its;
                }));
            }
            while (!all.stream().allMatch(Future::isDone)) {
                if (!log.sequence(sequencing)) {
                    LockSupport.parkNanos(AGAIN.toNanos());
                }
            }
            for (Future<?> one : all) {
                Object ignored = one.get();
            }
            while (log.sequence(sequencing)) {
                // Sequences until nothing is left.
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private ReaderResult measure(CommitLog log, TailReader reader, Standby standby, Snapshot snapshot, int round)
            throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(PUBLISHERS + 1);
        try {
            Future<?> reading = threads.submit(reader);
            List<Future<Map<Long, Long>>> publishing = new ArrayList<>();
            for (int publisher = 0; publisher < PUBLISHERS; publisher++) {
                int its = publisher;
                publishing.add(threads.submit(() -> publish(log, its)));
            }
            Map<Long, Long> acknowledged = new HashMap<>();
            for (Future<Map<Long, Long>> one : publishing) {
                acknowledged.putAll(one.get());
            }
            reader.endAfter(acknowledged.size());
            Object ignored = reading.get();
            Histogram micros = new Histogram(2);
            acknowledged.forEach((key, at) -> {
                Long arrived = reader.arrivals().get(key);
                if (arrived != null) {
                    micros.recordValue(Math.max(0, arrived - at) / NANOS_PER_MICRO);
                }
            });
            Optional<String> problem = reader.check()
                    .first()
                    .or(() -> reader.arrivals().keySet().equals(acknowledged.keySet())
                            ? Optional.empty()
                            : Optional.of(acknowledged.size() + " commits were acknowledged, and "
                                    + reader.arrivals().size() + " arrived"));
            return new ReaderResult(standby, snapshot, round, micros, problem);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Commits at its share of the rate. Returns the time at which each commit was acknowledged. */
    private Map<Long, Long> publish(CommitLog log, int publisher) {
        Map<Long, Long> acknowledged = new HashMap<>();
        Writer writer = await(log.open("measured-" + publisher));
        byte[] entries = LogCheck.entries(plan.entryBytes(), publisher);
        long interval = (long) (NANOS_PER_SECOND * PUBLISHERS / plan.readRate());
        long begin = time.nanos() + interval * publisher / PUBLISHERS;
        long count = plan.readTime().toNanos() / interval;
        for (long number = 0; number < count; number++) {
            for (long wait = begin + number * interval - time.nanos();
                    wait > 0;
                    wait = begin + number * interval - time.nanos()) {
                LockSupport.parkNanos(wait);
            }
            LogCheck.number(entries, number);
            BlobId blob = new BlobId(time.wallMillis() / BlobId.MILLIS_PER_GENERATION, time.randomLong(), number);
            LogBatch batch = new LogBatch(TOPIC, entries.clone(), Set.of(blob), entries.length, time.wallMillis());
            List<Long> ignored = await(writer.commit(writer.firstNumber() + number, List.of(batch), Optional.empty()));
            acknowledged.put(TailReader.key(publisher, number), time.nanos());
            while (await(log.sequence(TOPIC)).isEmpty()) {
                LockSupport.parkNanos(AGAIN.toNanos()); // Another publisher is sequencing, and may not see this commit.
            }
        }
        return acknowledged;
    }

    private <T> T await(CompletionStage<T> answer) {
        return CommitLogs.await(answer, ANSWER, "measure the log", time);
    }
}
