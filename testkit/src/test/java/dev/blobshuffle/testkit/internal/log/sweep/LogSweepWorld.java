package dev.blobshuffle.testkit.internal.log.sweep;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.log.failure.LogException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.sweep.LogOwner;
import dev.blobshuffle.log.internal.sweep.LogSweepOptions;
import dev.blobshuffle.log.internal.sweep.LogSweeper;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.LogCall;
import dev.blobshuffle.testkit.internal.log.LogDefect;
import dev.blobshuffle.testkit.internal.log.LogFaults;
import dev.blobshuffle.testkit.internal.log.LogOptions;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;

/**
 * Databases with one log that share a store, with publishers, sweepers and crashes, in virtual
 * time. Used by the actors of the simulation.
 */
final class LogSweepWorld {
    /** Raises are rare, so that only checks find a copy. */
    private static final OwnerTiming TIMING =
            new OwnerTiming(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);

    private static final Duration INTERVAL = Duration.ofMinutes(4);

    final SimulatedTime time;
    final SharedStore store;
    final List<String> violations = new ArrayList<>();
    private final LogSweepOptions options;
    private final List<Database> databases = new ArrayList<>();
    private int processes;
    private final Set<BlobId> published = new HashSet<>();
    private long blobs;

    LogSweepWorld(SimulatedTime time, LogSweepOptions options) {
        this.time = time;
        this.options = options;
        store = new SharedStore(time, this::deleted);
    }

    /** A database of a log. */
    record Database(MemoryDatabase tables) {}

    Database database(Set<LogDefect> defects) {
        LogFaults slow = new LogFaults() {
            @Override
            public Fate next(LogCall call) {
                Loss loss = time.random(80) == 0 ? Loss.ANSWER : Loss.NOTHING;
                return new Fate(loss, Duration.ofMillis(time.random(200)), Duration.ofMillis(time.random(200)));
            }

            @Override
            public Duration stall(LogCall call) {
                return Duration.ofMillis(time.random(3) == 0 ? time.random(2_000) : 0);
            }
        };
        Database database = new Database(new MemoryDatabase(time, LogOptions.DEFAULTS, slow, defects));
        databases.add(database);
        return database;
    }

    /** A clone as it is now; what was on the way to the original does not get there. */
    Database clone(Database original) {
        Database clone = new Database(original.tables.restored(original.tables.standby()));
        databases.add(clone);
        return clone;
    }

    private void deleted(BlobId blob) {
        for (int i = 0; i < databases.size(); i++) {
            if (databases.get(i).tables.refersTo(blob)) {
                violations.add("blob " + blob + " that database " + i + " needs was deleted at " + time.elapsed());
            }
        }
    }

    /** At the end: what a database refers to is there, though the commit came after a deletion. */
    void check() {
        for (int i = 0; i < databases.size(); i++) {
            MemoryDatabase tables = databases.get(i).tables;
            for (BlobId blob : published) {
                if (tables.refersTo(blob) && !store.blobs().contains(blob)) {
                    violations.add("database " + i + " needs blob " + blob + ", which was deleted before");
                }
            }
        }
    }

    /** Blobs that no database refers to. */
    Set<BlobId> orphans() {
        Set<BlobId> orphans = new TreeSet<>(store.blobs());
        orphans.removeIf(blob -> databases.stream().anyMatch(database -> database.tables.refersTo(blob)));
        return orphans;
    }

    /** An instance that publishes, watches its claim, and sweeps. */
    SimulatedProcess instance(Database database, String writer) {
        SimulatedProcess process = time.process("instance-" + processes++);
        process.actor("publisher", () -> {
            MemoryLog log = new MemoryLog(database.tables, process);
            BlobStore claimed = LogOwner.watched(store, log, TIMING, process);
            sweeper(process, log);
            publish(process, log, claimed, writer);
        });
        return process;
    }

    /** A process that only sweeps. */
    SimulatedProcess sweeper(Database database) {
        SimulatedProcess process = time.process("sweeper-" + processes++);
        process.actor("start", () -> sweeper(process, new MemoryLog(database.tables, process)));
        return process;
    }

    private void sweeper(SimulatedProcess process, CommitLog log) {
        new LogSweeper(log, () -> store, options, INTERVAL, new ShuffleMetrics(process), process).start();
    }

    private void publish(SimulatedProcess process, CommitLog log, BlobStore claimed, String name)
            throws InterruptedException {
        StopSignal answers = new StopSignal(process);
        Optional<LogTopic> topic = Optional.empty();
        Optional<Writer> writer = Optional.empty();
        long number = 0;
        while (process.isAlive() && time.elapsed().compareTo(LogSweepSimulationTest.QUIET) < 0) {
            time.pause(Duration.ofSeconds(time.random(90)));
            try {
                if (topic.isEmpty()) {
                    topic = topic(log, answers);
                }
                if (writer.isEmpty()) {
                    Writer opened = answers.await(log.open(name));
                    writer = Optional.of(opened);
                    number = opened.firstNumber();
                }
                int owner = answers.await(claimed.owner());
                BlobId blob = new BlobId(owner, process.wallMillis() / BlobId.MILLIS_PER_GENERATION, 1, blobs++);
                answers.await(claimed.put(blob, BlobContent.of(new byte[] {1})));
                if (time.random(3) > 0) {
                    time.pause(Duration.ofSeconds(time.random(time.random(4) == 0 ? 280 : 30)));
                    published.add(blob);
                    commit(writer.get(), topic.get(), blob, number, answers);
                    number++;
                }
            } catch (CompletionException e) {
                boolean isExpected =
                        e.getCause() instanceof LogException || e.getCause() instanceof StoreUnavailableException;
                if (!isExpected) {
                    throw e;
                }
                writer = Optional.empty(); // Whether it is committed is unknown.
            }
        }
    }

    private static Optional<LogTopic> topic(CommitLog log, StopSignal answers) throws InterruptedException {
        Optional<LogTopic> made = answers.await(log.topics().create("orders", 1, new RetentionRule.Forever()));
        return made.isPresent() ? made : answers.await(log.topics().find("orders"));
    }

    private static void commit(Writer writer, LogTopic topic, BlobId blob, long number, StopSignal answers)
            throws InterruptedException {
        LogBatch batch = new LogBatch(topic.number(), new byte[] {1}, Set.of(blob), 1, 1);
        List<Long> ignored = answers.await(writer.commit(number, List.of(batch), Optional.empty()));
    }
}
