package dev.blobshuffle.core.internal.write.upload;

import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Stores each blob by itself.
 *
 * @param store receives the blobs; the caller closes it
 */
public record StoreSink(BlobStore store) implements BlobSink {
    @Override
    public CompletionStage<Placement> put(BlobId id, BlobLayout layout, BlobContent content) {
        return store.put(id, content).thenApply(stored -> new Placement(id, layout.notifications()));
    }

    @Override
    public CompletionStage<Placement> put(
            BlobId id, BlobLayout layout, BlobContent content, Consumer<Placement> whenReadable) {
        Placement placement = new Placement(id, layout.notifications());
        return store.put(id, content, () -> whenReadable.accept(placement)).thenApply(stored -> placement);
    }
}
