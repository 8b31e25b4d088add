package dev.blobshuffle.bench.paper;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/** A store whose requests are counted and timed. Guarded by the simulation's baton. */
final class MeasuredStore extends ForwardingBlobStore {
    private final StoreMeasurement measurement;
    private final BlobUsages.Writer writer;
    private final Time time;

    /** @param writer records the puts */
    MeasuredStore(BlobStore store, StoreMeasurement measurement, BlobUsages.Writer writer, Time time) {
        super(store);
        this.measurement = measurement;
        this.writer = writer;
        this.time = time;
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        long start = time.nanos();
        long bytes = content.length();
        writer.puts(id);
        return store().put(id, content).whenComplete((nothing, failure) -> {
            measurement.put(start, time.nanos() - start, bytes);
            if (failure == null) {
                writer.wasStored(id);
            }
        });
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        long start = time.nanos();
        return store().get(id, range)
                .whenComplete((nothing, failure) -> measurement.get(start, time.nanos() - start, range.length()))
                .thenApply(MeasuredStore::copy);
    }

    /** Copies the bytes, because a cached section would otherwise keep its whole blob in memory. */
    private static BlobBytes copy(BlobBytes bytes) {
        try (bytes) {
            ByteBuffer source = bytes.buffer().duplicate();
            ByteBuffer copy = ByteBuffer.allocate(source.remaining());
            return BlobBytes.of(copy.put(source).flip());
        }
    }
}
