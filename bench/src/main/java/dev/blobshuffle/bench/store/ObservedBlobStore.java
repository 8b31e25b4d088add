package dev.blobshuffle.bench.store;

import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.format.GenerationSpan;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.MeasurableStore;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.Time;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A store whose puts and gets are timed, each attempt as a request of its own. Thread-safe. */
final class ObservedBlobStore extends ForwardingBlobStore implements MeasurableStore {
    private final MeasurableStore plain;
    private final StoreLatencies latencies;
    private final Time time;

    /**
     * Times requests.
     *
     * @param store gets the requests
     * @param plain the same store without anything in between: it is asked what {@code store} cannot answer
     */
    ObservedBlobStore(BlobStore store, MeasurableStore plain, StoreLatencies latencies, Time time) {
        super(store);
        this.plain = plain;
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

    @Override
    public Optional<Registers> registers() {
        return plain.registers();
    }

    @Override
    public CompletionStage<Long> length(BlobId id) {
        return plain.length(id);
    }

    @Override
    public CompletionStage<List<BlobId>> list(GenerationSpan generations) {
        return plain.list(generations);
    }
}
