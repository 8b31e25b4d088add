package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.internal.LogClaims;
import dev.blobshuffle.testkit.internal.log.LogTables.ClaimRow;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The claims of a {@link MemoryLog}. A burial reads the number of claims and commits in one step,
 * so a claim need not wait for burials. Thread-safe.
 */
record MemoryClaims(Connection connection) implements LogClaims {
    private LogTables tables() {
        return connection.database().tables();
    }

    @Override
    public CompletionStage<Set<String>> known() {
        return connection.ask(LogCall.CLAIMS, () -> Set.copyOf(tables().claims.keySet()));
    }

    @Override
    public CompletionStage<Void> remember(String id, long counter) {
        return change(tables -> {
            if (!tables.claims.containsKey(id)) {
                tables.claimed++;
                tables.claims.put(id, new ClaimRow(tables.claimed, counter));
            }
        });
    }

    @Override
    public CompletionStage<Void> forget(long before, Set<String> kept) {
        Set<String> stay = Set.copyOf(kept);
        return change(tables -> tables.claims
                .entrySet()
                .removeIf(claim -> claim.getValue().counter() < before && !stay.contains(claim.getKey())));
    }

    private CompletionStage<Void> change(Consumer<LogTables> change) {
        return connection
                .<Boolean>call(LogCall.CLAIMS, (session, reply) -> {
                    session.change(change);
                    reply.succeed(true);
                })
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<List<BlobId>> due(String claim, int limit) {
        return connection.ask(LogCall.CLAIMS, () -> {
            ClaimRow row = tables().claims.get(claim);
            return row == null
                    ? List.of()
                    : tables().tombstones.entrySet().stream()
                            .filter(tombstone -> tombstone.getValue().claimed() < row.number())
                            .filter(tombstone -> tombstone.getValue().deleteAfterMillis()
                                    <= connection.database().clockMillis())
                            .map(Map.Entry::getKey)
                            .limit(limit)
                            .toList();
        });
    }
}
