package dev.blobshuffle.bench.soak;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.sweep.LogSweepOptions;
import dev.blobshuffle.log.internal.sweep.LogSweeper;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.Topic;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import dev.blobshuffle.postgresql.internal.schema.SchemaSetup;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Messaging under a steady load over a PostgreSQL server and a store of files. Times that are hours
 * in production are minutes here: retention, late commits, grace, and the interval of sweeps. So
 * after a quarter of an hour, as much is removed as arrives. A separate sweeper of the run sweeps
 * for the instances. Owned by one thread.
 */
public final class SoakRun {
    private static final String SCHEMA = "blobshuffle";
    private static final String DATABASE = "postgres";
    private static final int MAX_AGE_MINUTES = 5;
    private static final Duration GRACE = Duration.ofMinutes(1);
    private static final Duration SWEEPS = Duration.ofMinutes(1);
    private static final int SWEPT_PER_SECOND = 1000;
    private static final double MICROS_PER_MILLI = 1000;
    private static final double P50 = 50;
    private static final double P95 = 95;
    private static final String RELATIONS = """
            select c.relname, case c.relkind when 'r' then pg_table_size(c.oid) else pg_relation_size(c.oid) end,
                coalesce(s.n_dead_tup, 0)
              from pg_class c left join pg_stat_all_tables s on s.relid = c.oid
              where c.relnamespace = '%s'::regnamespace and c.relkind in ('r', 'i')
              order by c.relname
            """.formatted(SCHEMA);

    private final SoakPlan plan;
    private final Path directory;
    private final Consumer<String> progress;

    /**
     * A run.
     *
     * @param directory for the store and the credentials; empty
     * @param progress receives a line per sample
     */
    public SoakRun(SoakPlan plan, Path directory, Consumer<String> progress) {
        this.plan = plan;
        this.directory = directory;
        this.progress = progress;
    }

    /** Runs to the end. */
    public SoakReport run() throws IOException, SQLException, InterruptedException {
        try (PostgresServer server =
                        PostgresServer.builder().setting("fsync", "on").start();
                Ending ending = new Ending();
                SoakLoad load = new SoakLoad(plan)) {
            setUp(server);
            sweep(server, ending);
            for (int i = 0; i < SoakPlan.INSTANCES; i++) {
                load.start(i, settings(server, i));
            }
            List<SoakSample> samples = new ArrayList<>();
            long start = System.nanoTime();
            long commits = commits(server);
            long count = plan.duration().dividedBy(plan.interval());
            for (long i = 1; i <= count; i++) {
                long due = start + i * plan.interval().toNanos();
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                }
                Histogram times = load.acknowledged();
                SoakSample sample = new SoakSample(
                        (System.nanoTime() - start) / 1_000_000_000L,
                        relations(server),
                        blobs(),
                        commits(server) - commits,
                        times.getValueAtPercentile(P50) / MICROS_PER_MILLI,
                        times.getValueAtPercentile(P95) / MICROS_PER_MILLI);
                progress.accept(sample.line());
                samples.add(sample);
            }
            return new SoakReport(samples, load.stop());
        }
    }

    private void setUp(PostgresServer server) throws IOException, SQLException {
        PrivateFiles.write(
                directory.resolve("credentials"),
                "user=" + PostgresServer.USER + "\npassword=" + server.password() + "\n");
        try (SchemaSetup setup = SchemaSetup.open(PostgresqlUri.parse(log(server)), Optional.empty())) {
            setup.execute();
        }
        try (Connection connection = server.connect(DATABASE);
                Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute("update " + SCHEMA + ".log set max_age = " + MAX_AGE_MINUTES);
        }
        try (Messaging messaging = Messaging.open(settings(server, 0))) {
            for (String name : List.of(SoakLoad.SMALL, SoakLoad.LARGE)) {
                boolean ignored = messaging
                        .topics()
                        .create(Topic.named(name)
                                .partitions(SoakPlan.PARTITIONS)
                                .retention(plan.retention()));
            }
        }
    }

    private void sweep(PostgresServer server, Ending ending) {
        SystemTime time = ending.add(new SystemTime());
        CommitLog log = ending.add(CommitLogs.open(log(server), "soak-sweeper", time));
        LogSweepOptions options = new LogSweepOptions(
                GRACE,
                LogSweepOptions.USUAL.objection(),
                Duration.ofHours(1),
                Duration.ZERO, // Its blobs live for minutes.
                SWEPT_PER_SECOND);
        ending.add(new LogSweeper(
                        log,
                        () -> BlobStores.openUnchecked(store(), StoreContext.unmetered(time)),
                        options,
                        SWEEPS,
                        new ShuffleMetrics(),
                        time))
                .start();
    }

    /** The resources that are closed at the end, in reverse order. Owned by one thread. */
    private static final class Ending implements AutoCloseable {
        private final Deque<AutoCloseable> parts = new ArrayDeque<>();

        <T extends AutoCloseable> T add(T part) {
            parts.push(part);
            return part;
        }

        @Override
        public void close() {
            for (AutoCloseable part : parts) {
                try {
                    part.close();
                } catch (Exception e) {
                    throw new IllegalStateException("Cannot end the soak run: " + e.getMessage(), e);
                }
            }
        }
    }

    private String store() {
        return "file://" + directory.resolve("store");
    }

    private String log(PostgresServer server) {
        return "postgresql://127.0.0.1:" + server.port() + "/" + DATABASE + "?schema=" + SCHEMA + "&credentials="
                + directory.resolve("credentials");
    }

    private Map<String, String> settings(PostgresServer server, int zone) {
        return Map.of(
                "blobshuffle.log",
                log(server),
                "blobshuffle.store",
                "file://" + directory.resolve("store"),
                "blobshuffle.zone",
                "zone-" + zone,
                "blobshuffle.batch.max.delay.ms",
                Long.toString(SoakPlan.BATCH_DELAY.toMillis()),
                // An instance's sweep has a grace of 15 minutes, which would show as a hump in the
                // samples.
                "blobshuffle.sweep.interval.ms",
                "0");
    }

    private static List<Relation> relations(PostgresServer server) throws SQLException {
        List<Relation> relations = new ArrayList<>();
        try (Connection connection = server.connect(DATABASE);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(RELATIONS)) {
            while (rows.next()) {
                relations.add(new Relation(rows.getString(1), rows.getLong(2), rows.getLong(3)));
            }
        }
        return relations;
    }

    /** Batches that were committed until now. */
    private static long commits(PostgresServer server) throws SQLException {
        try (Connection connection = server.connect(DATABASE);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select coalesce(max(id), 0) from " + SCHEMA + ".batch")) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** Files in the store, which a sweep may delete while they are counted. */
    private long blobs() throws IOException {
        AtomicLong count = new AtomicLong();
        Files.walkFileTree(directory.resolve("store"), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                count.incrementAndGet();
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path swept, @Nullable IOException gone) {
                return FileVisitResult.CONTINUE;
            }
        });
        return count.get();
    }
}
