package dev.blobshuffle.testkit.resilience;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Counts the requests that reach a store. Used under virtual time, by one thread at a time. */
final class CountingBlobStore extends ForwardingBlobStore {
    private final Map<BlobId, Integer> puts = new HashMap<>();
    private final Map<BlobId, Integer> gets = new HashMap<>();
    private int inFlight;
    private int mostInFlight;

    CountingBlobStore(BlobStore store) {
        super(store);
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        puts.merge(id, 1, Integer::sum);
        return counted(super.put(id, content));
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        gets.merge(id, 1, Integer::sum);
        return counted(super.get(id, range));
    }

    private <T> CompletionStage<T> counted(CompletionStage<T> stage) {
        inFlight++;
        mostInFlight = Math.max(mostInFlight, inFlight);
        return stage.whenComplete((value, failure) -> inFlight--);
    }

    int puts() {
        return sum(puts);
    }

    int gets() {
        return sum(gets);
    }

    private static int sum(Map<BlobId, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The most puts of one blob. */
    int mostPutsOfOne() {
        return puts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    /** The most requests that were under way together since the last call. */
    int mostInFlight() {
        int most = mostInFlight;
        mostInFlight = inFlight;
        return most;
    }
}
