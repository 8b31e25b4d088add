package dev.blobshuffle.testkit.internal.log.sweep;

import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.store.LentBlobStore;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.sweep.LogOwner;
import dev.blobshuffle.log.internal.sweep.LogSweep;
import dev.blobshuffle.log.internal.sweep.LogSweepOptions;
import dev.blobshuffle.log.internal.sweep.LogSweepReport;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A log in memory and a file store, with a clock that a test moves. Owned by the test's thread. */
final class SweptLog implements AutoCloseable {
    /** Deletes as soon as the log allows it, and lists again for an hour. */
    static final LogSweepOptions AT_ONCE =
            new LogSweepOptions(Duration.ofMinutes(1), Duration.ZERO, Duration.ofHours(1), Duration.ZERO, 1_000_000);

    /** After this time no commit may refer to a blob, and it can be buried. */
    static final Duration OLD = Duration.ofMinutes(10);

    final SystemTime time = new SystemTime();
    final BlobStore store;
    final MemoryDatabase database;
    final CommitLog log;
    private final Writer writer;
    private final int owner;
    private long number;
    private long blobs;

    SweptLog(Path directory) {
        this(directory, Optional.empty());
    }

    /** @param original whose database this one was restored from, as it is now */
    SweptLog(Path directory, Optional<SweptLog> original) {
        store = BlobStores.open(directory.toUri() + "?fsync=none", StoreContext.unmetered(time));
        database = original.map(other -> other.database.restored(other.database.standby()))
                .orElseGet(() -> new MemoryDatabase(time));
        blobs = original.map(other -> other.blobs + 1_000_000).orElse(0L);
        log = new MemoryLog(database, time);
        owner = original.map(SweptLog::owner).orElseGet(this::makeOwner);
        writer = join(log.open("writer"));
        number = writer.firstNumber();
    }

    static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    LogTopic topic(String name) {
        return join(log.topics().create(name, 1, new RetentionRule.Forever())).orElseThrow();
    }

    /** An instance that ends at once: a test takes all later steps itself. */
    private int makeOwner() {
        try (BlobStore owned = LogOwner.watched(new LentBlobStore(store), log, OwnerTiming.USUAL, time)) {
            return join(owned.owner());
        }
    }

    /** The owner of its blobs. */
    int owner() {
        return owner;
    }

    long minute() {
        return millis() / BlobId.MILLIS_PER_GENERATION;
    }

    /** The log's clock. */
    long millis() {
        return join(log.retention().clock()).toEpochMilli();
    }

    /** Moves the log's clock. */
    void pass(Duration span) {
        database.shiftClock(span);
    }

    /** Stores a new blob of this minute that no batch refers to. */
    BlobId orphan() {
        return orphan(minute());
    }

    BlobId orphan(long generation) {
        BlobId blob = new BlobId(owner, generation, 1, blobs++);
        store(blob);
        return blob;
    }

    void store(BlobId blob) {
        join(store.put(blob, BlobContent.of("blob".getBytes(StandardCharsets.UTF_8))));
    }

    /** Commits one batch to each topic; all refer to the blob. */
    void commit(BlobId blob, LogTopic... topics) {
        List<LogBatch> batches = List.of(topics).stream()
                .map(topic -> new LogBatch(topic.number(), new byte[] {1}, Set.of(blob), 1, 1))
                .toList();
        List<Long> ids = join(writer.commit(number, batches, Optional.empty()));
        number += ids.size();
        for (LogTopic topic : topics) {
            OptionalLong ignored = join(log.sequence(topic.number()));
        }
    }

    void delete(LogTopic topic) {
        boolean ignored = join(log.topics().delete(topic.name()));
    }

    LogSweepReport sweep() throws InterruptedException {
        return sweep(AT_ONCE);
    }

    LogSweepReport sweep(LogSweepOptions options) throws InterruptedException {
        return LogSweep.once(log, store, options, time);
    }

    /** Sweeps until everything that could go is gone. */
    void sweepAll() throws InterruptedException {
        LogSweepReport ignored = sweep();
        pass(Duration.ofMinutes(2));
        ignored = sweep();
    }

    Set<BlobId> stored() {
        return stored(owner);
    }

    /** The blobs of an owner. */
    Set<BlobId> stored(int whose) {
        Set<BlobId> all = new TreeSet<>();
        for (long generation : join(store.generations(whose))) {
            join(store.list(whose, generation)).forEach(blob -> all.add(blob.id()));
        }
        return all;
    }

    @Override
    public void close() {
        log.close();
        store.close();
        time.close();
    }
}
