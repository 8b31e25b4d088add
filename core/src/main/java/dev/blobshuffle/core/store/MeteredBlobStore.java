package dev.blobshuffle.core.store;

import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.metrics.Counter;
import dev.blobshuffle.core.metrics.Latency;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
import dev.blobshuffle.core.time.Time;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A store whose requests are counted and timed. Belongs below retries, because each attempt is a request and is billed. Thread-safe. */
public final class MeteredBlobStore extends ForwardingBlobStore {
    private final ShuffleMetrics metrics;
    private final Time time;

    /** Counts the requests to a store. */
    public MeteredBlobStore(BlobStore store, ShuffleMetrics metrics, Time time) {
        super(store);
        this.metrics = metrics;
        this.time = time;
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        long start = time.nanos();
        metrics.add(Counter.PUTS, 1);
        return store().put(id, content).whenComplete((nothing, failure) -> {
            if (failure == null) {
                metrics.record(Latency.PUT_LATENCY, time.nanos() - start);
            } else {
                metrics.add(Counter.PUT_FAILURES, 1);
            }
        });
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        long start = time.nanos();
        metrics.add(Counter.GETS, 1);
        return store().get(id, range).whenComplete((bytes, failure) -> {
            if (failure == null) {
                metrics.record(Latency.GET_LATENCY, time.nanos() - start);
                metrics.add(Counter.BYTES_FETCHED, range.length());
            } else {
                metrics.add(Counter.GET_FAILURES, 1);
            }
        });
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        metrics.add(Counter.DELETES, ids.size());
        return store().delete(ids);
    }

    @Override
    public CompletionStage<List<BlobId>> list(long generation) {
        metrics.add(Counter.LISTS, 1);
        return store().list(generation);
    }

    @Override
    public CompletionStage<List<Long>> generations() {
        metrics.add(Counter.LISTS, 1);
        return store().generations();
    }
}
