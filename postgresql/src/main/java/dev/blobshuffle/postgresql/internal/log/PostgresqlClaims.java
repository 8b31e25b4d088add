package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.internal.LogClaims;
import dev.blobshuffle.postgresql.internal.log.Database.Repeat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The log's record of its claims, through the functions of the schema. Thread-safe. */
final class PostgresqlClaims implements LogClaims {
    private final Database database;

    PostgresqlClaims(Database database) {
        this.database = database;
    }

    @Override
    public CompletionStage<Set<String>> known() {
        return database.call(
                "read the claims of the log",
                Repeat.ONCE,
                connection -> Set.copyOf(FunctionCall.of(connection, database.schema(), "claim_ids")
                        .rows(row -> row.getString(1))));
    }

    @Override
    public CompletionStage<Void> remember(String id, long counter) {
        return database.run(
                "remember a claim",
                Repeat.ONCE,
                connection -> FunctionCall.of(connection, database.schema(), "remember_claim", id, counter)
                        .run());
    }

    @Override
    public CompletionStage<Void> forget(long before, Set<String> kept) {
        return database.run(
                "forget old claims",
                Repeat.ONCE,
                connection -> FunctionCall.of(
                                connection,
                                database.schema(),
                                "forget_claims",
                                before,
                                connection.createArrayOf("text", kept.toArray()))
                        .run());
    }

    @Override
    public CompletionStage<List<BlobId>> due(String claim, int limit) {
        return database.call(
                "list buried blobs",
                Repeat.ONCE,
                connection -> FunctionCall.of(connection, database.schema(), "tombstones_due_before", claim, limit)
                        .rows(row -> BlobKeys.blob(row.getBytes(1))));
    }
}
