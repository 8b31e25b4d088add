package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.internal.LogClaims;
import dev.blobshuffle.log.internal.Retention;
import dev.blobshuffle.testkit.internal.log.LockTable.Key;
import dev.blobshuffle.testkit.internal.log.LockTable.Kind;
import dev.blobshuffle.testkit.internal.log.LogTables.TombstoneRow;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Retention of a {@link MemoryLog}. Thread-safe. */
record MemoryRetention(Connection connection) implements Retention {
    private MemoryDatabase database() {
        return connection.database();
    }

    private LogTables tables() {
        return database().tables();
    }

    @Override
    public boolean isAllowed() {
        return true;
    }

    @Override
    public CompletionStage<OptionalInt> trim() {
        return connection.call(LogCall.TRIM, (session, reply) -> {
            if (database().locks().tryExclusive(session, new Key(Kind.TRIM, "all"))) {
                session.step(LogCall.TRIM, () -> reply.succeed(OptionalInt.of(new Trimming(database()).run(session))));
            } else {
                reply.succeed(OptionalInt.empty());
            }
        });
    }

    @Override
    public CompletionStage<List<BlobId>> unreferenced(Optional<BlobId> after, int limit) {
        return connection.ask(
                LogCall.RETENTION,
                () ->
                        after
                                .map(blob -> tables().unreferenced.tailSet(blob, false))
                                .orElse(tables().unreferenced)
                                .stream()
                                .filter(this::isUnneeded)
                                .limit(limit)
                                .toList());
    }

    private boolean isUnneeded(BlobId blob) {
        return !tables().references.containsKey(blob) && !tables().tombstones.containsKey(blob);
    }

    @Override
    public CompletionStage<Set<BlobId>> unneeded(Collection<BlobId> blobs) {
        List<BlobId> asked = List.copyOf(blobs);
        return connection.ask(
                LogCall.RETENTION,
                () -> asked.stream().filter(this::isUnneeded).collect(Collectors.toUnmodifiableSet()));
    }

    @Override
    public LogClaims claims() {
        return new MemoryClaims(connection);
    }

    @Override
    public CompletionStage<OptionalInt> bury(long generation, Collection<BlobId> blobs, Duration grace) {
        List<BlobId> candidates =
                blobs.stream().filter(blob -> blob.generation() == generation).toList();
        LogOptions options = database().options();
        return connection.call(LogCall.BURY, (session, reply) -> {
            boolean isYoung = generation >= database().clockMinute() - options.maxAgeMinutes() - options.slackMinutes();
            boolean isFree = database().has(LogDefect.BURIES_WITHOUT_LOCK)
                    || (!isYoung && database().locks().tryExclusive(session, new Key(Kind.GENERATION, generation)));
            if (isYoung || !isFree) {
                reply.succeed(OptionalInt.empty());
            } else {
                session.step(LogCall.BURY, () -> reply.succeed(OptionalInt.of(bury(session, candidates, grace))));
            }
        });
    }

    private int bury(Session session, List<BlobId> candidates, Duration grace) {
        List<BlobId> dead = candidates.stream()
                .filter(blob -> !tables().references.containsKey(blob))
                .distinct()
                .toList();
        int fresh = (int) dead.stream()
                .filter(blob -> !tables().tombstones.containsKey(blob))
                .count();
        long deleteAfter = database().clockMillis() + grace.toMillis();
        session.change(tables -> {
            dead.forEach(blob -> tables.tombstones.putIfAbsent(blob, new TombstoneRow(deleteAfter, tables.claimed)));
            // Others are still candidates, such as one whose last reference has just been trimmed.
            candidates.stream()
                    .filter(blob -> tables.tombstones.containsKey(blob) || tables.references.containsKey(blob))
                    .forEach(tables.unreferenced::remove);
        });
        return fresh;
    }

    @Override
    public CompletionStage<List<BlobId>> due(int limit) {
        return connection.ask(
                LogCall.RETENTION,
                () -> tables().tombstones.entrySet().stream()
                        .filter(tombstone -> tombstone.getValue().deleteAfterMillis()
                                <= database().clockMillis())
                        .map(Map.Entry::getKey)
                        .limit(limit)
                        .toList());
    }

    @Override
    public CompletionStage<Void> forget(Collection<BlobId> blobs) {
        List<BlobId> deleted = List.copyOf(blobs);
        return change(tables -> deleted.forEach(tables.tombstones::remove));
    }

    @Override
    public CompletionStage<Map<Long, Instant>> listed() {
        return connection.ask(LogCall.RETENTION, () -> {
            Map<Long, Instant> listed = new TreeMap<>();
            tables().listed.forEach((generation, millis) -> listed.put(generation, Instant.ofEpochMilli(millis)));
            return listed;
        });
    }

    @Override
    public CompletionStage<Void> markListed(long generation) {
        return change(tables -> tables.listed.put(generation, database().clockMillis()));
    }

    @Override
    public CompletionStage<Void> forgetListed(Set<Long> generations) {
        Set<Long> old = Set.copyOf(generations);
        return change(tables -> old.forEach(tables.listed::remove));
    }

    private CompletionStage<Void> change(Consumer<LogTables> change) {
        return connection
                .<Boolean>call(LogCall.RETENTION, (session, reply) -> {
                    session.change(change);
                    reply.succeed(true);
                })
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Instant> clock() {
        return connection.ask(
                LogCall.RETENTION, () -> Instant.ofEpochMilli(database().clockMillis()));
    }

    @Override
    public Duration longestUncommitted() {
        return Duration.ofMinutes(database().options().maxAgeMinutes());
    }
}
