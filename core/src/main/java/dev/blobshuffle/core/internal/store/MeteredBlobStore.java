package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Time;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Counts and times the puts and gets of a store, each call as one request. Place it below retries
 * and hedges, because providers bill each attempt. The store itself reports all other requests
 * ({@link RequestMeter}). Thread-safe.
 */
public final class MeteredBlobStore extends ForwardingBlobStore {
    /** Counts the requests that a store reports itself in an instance's metrics. */
    public static RequestMeter meter(ShuffleMetrics metrics) {
        return request -> metrics.add(
                switch (request) {
                    case PUT -> Counter.PUTS;
                    case GET -> Counter.GETS;
                    case LIST -> Counter.LISTS;
                    case DELETE -> Counter.DELETES;
                    case HEAD -> Counter.HEADS;
                },
                1);
    }

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
        metrics.add(Counter.BYTES_SENT, content.length());
        return store().put(id, content).whenComplete((nothing, failure) -> {
            if (failure == null) {
                metrics.record(Latency.PUT_LATENCY, time.nanos() - start);
                metrics.answered();
            } else {
                metrics.add(Counter.PUT_FAILURES, 1);
                note(failure);
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
                metrics.answered();
                metrics.add(Counter.BYTES_FETCHED, range.length());
            } else {
                metrics.add(Counter.GET_FAILURES, 1);
                note(failure);
            }
        });
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        metrics.add(Counter.BLOBS_DELETED, ids.size());
        return counted(store().delete(ids));
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        return counted(store().list(owner, generation));
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, GenerationSpan generations) {
        return counted(store().list(owner, generations));
    }

    @Override
    public CompletionStage<Long> length(BlobId id) {
        return counted(store().length(id));
    }

    @Override
    public CompletionStage<List<Long>> generations(int owner) {
        return counted(store().generations(owner));
    }

    @Override
    public CompletionStage<List<Integer>> owners() {
        return counted(store().owners());
    }

    private <T> CompletionStage<T> counted(CompletionStage<T> answer) {
        return answer.whenComplete((value, failure) -> {
            if (failure == null) {
                metrics.answered();
            } else {
                metrics.add(Counter.OTHER_FAILURES, 1);
                note(failure);
            }
        });
    }

    private void note(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof BlobMissingException || cause instanceof BlobCorruptException) { // The store works.
            metrics.answered();
        } else {
            metrics.failed(cause);
        }
        if (cause instanceof StoreThrottledException) {
            metrics.add(Counter.REQUESTS_THROTTLED, 1);
        }
    }
}
