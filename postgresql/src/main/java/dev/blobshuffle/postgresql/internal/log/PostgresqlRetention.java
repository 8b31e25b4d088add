package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.internal.LogClaims;
import dev.blobshuffle.log.internal.Retention;
import dev.blobshuffle.postgresql.internal.log.Database.Repeat;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Retention through the functions of the schema. Thread-safe. */
final class PostgresqlRetention implements Retention {
    private final Database database;
    private final LogInfo info;

    PostgresqlRetention(Database database, LogInfo info) {
        this.database = database;
        this.info = info;
    }

    @Override
    public boolean isAllowed() {
        return info.maySweep();
    }

    @Override
    public CompletionStage<OptionalInt> trim() {
        return database.call("trim the log", Repeat.ONCE, connection -> number(connection, "trim_topics"));
    }

    @Override
    public CompletionStage<List<BlobId>> unreferenced(Optional<BlobId> after, int limit) {
        byte[] key = after.map(BlobKeys::of).orElseGet(() -> new byte[0]);
        return database.call(
                "list unreferenced blobs",
                Repeat.ONCE,
                connection -> blobs(connection, "unreferenced_blobs", key, limit));
    }

    @Override
    public CompletionStage<Set<BlobId>> unneeded(Collection<BlobId> blobs) {
        byte[][] keys = BlobKeys.of(blobs);
        return database.call(
                "ask which blobs are unneeded",
                Repeat.ONCE,
                connection -> Set.copyOf(blobs(connection, "unneeded_blobs", (Object) keys)));
    }

    @Override
    public LogClaims claims() {
        return new PostgresqlClaims(database);
    }

    @Override
    public CompletionStage<OptionalInt> bury(long generation, Collection<BlobId> blobs, Duration grace) {
        byte[][] keys = BlobKeys.of(blobs);
        int minute = Math.toIntExact(generation);
        return database.call("bury blobs", Repeat.NEVER, connection -> number(connection, "bury", minute, keys, grace));
    }

    @Override
    public CompletionStage<List<BlobId>> due(int limit) {
        return database.call(
                "list buried blobs", Repeat.ONCE, connection -> blobs(connection, "tombstones_due", limit));
    }

    @Override
    public CompletionStage<Void> forget(Collection<BlobId> blobs) {
        return run("forget deleted blobs", "tombstones_done", (Object) BlobKeys.of(blobs));
    }

    @Override
    public CompletionStage<Map<Long, Instant>> listed() {
        return database.call("read which generations were listed", Repeat.ONCE, connection -> {
            Map<Long, Instant> listed = new HashMap<>();
            function(connection, "generations")
                    .rows(row -> listed.put(
                            row.getLong("minute"),
                            row.getObject("listed_at", OffsetDateTime.class).toInstant()));
            return listed;
        });
    }

    @Override
    public CompletionStage<Void> markListed(long generation) {
        return run("mark a generation as listed", "generation_listed", Math.toIntExact(generation));
    }

    @Override
    public CompletionStage<Void> forgetListed(Set<Long> generations) {
        int[] minutes = generations.stream().mapToInt(Math::toIntExact).toArray();
        return run("forget listed generations", "forget_generations", minutes);
    }

    @Override
    public CompletionStage<Instant> clock() {
        return database.call(
                "read the log's clock",
                Repeat.ONCE,
                connection -> function(connection, "log_info")
                        .one(row -> row.getObject("clock", OffsetDateTime.class).toInstant()));
    }

    @Override
    public Duration longestUncommitted() {
        return info.longestUncommitted();
    }

    private CompletionStage<Void> run(String action, String name, Object argument) {
        return database.run(
                action,
                Repeat.ONCE,
                connection -> function(connection, name, argument).run());
    }

    private List<BlobId> blobs(Connection connection, String name, Object... arguments) throws SQLException {
        return function(connection, name, arguments).rows(row -> BlobKeys.blob(row.getBytes(1)));
    }

    private OptionalInt number(Connection connection, String name, Object... arguments) throws SQLException {
        OptionalLong number = function(connection, name, arguments).number();
        return number.isEmpty() ? OptionalInt.empty() : OptionalInt.of(Math.toIntExact(number.getAsLong()));
    }

    private FunctionCall function(Connection connection, String name, Object... arguments) {
        return FunctionCall.of(connection, database.schema(), name, arguments);
    }
}
