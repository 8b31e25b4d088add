package dev.blobshuffle.bench.observed;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.util.concurrent.CompletionStage;

/**
 * A store whose puts and gets are timed. Each attempt counts as a separate request. Thread-safe.
 */
final class ObservedBlobStore extends ForwardingBlobStore {
    private final StoreLatencies latencies;
    private final Time time;

    /**
     * Times requests.
     *
     * @param store receives the requests
     */
    ObservedBlobStore(BlobStore store, StoreLatencies latencies, Time time) {
        super(store);
        this.latencies = latencies;
        this.time = time;
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        long start = time.nanos();
        return store().put(id, content).whenComplete((nothing, failure) -> {
            if (failure == null) {
                latencies.put(time.nanos() - start);
            }
        });
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        long start = time.nanos();
        return store().get(id, range).whenComplete((bytes, failure) -> {
            if (failure == null) {
                latencies.get(time.nanos() - start);
            }
        });
    }
}
