package dev.blobshuffle.core.internal.write.upload;

import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Makes a blob's segments durable: in a blob of their own ({@link StoreSink}), or in one that they
 * share with other instances. Thread-safe. No method blocks its caller for I/O.
 */
@FunctionalInterface
public interface BlobSink {
    /**
     * Stores the segments of a blob. When the stage completes normally, the blob of the placement
     * is as durable as the store promises. It fails as {@link
     * dev.blobshuffle.core.store.BlobStore#put} does. The sink holds the content ({@link
     * BlobContent#retain()}) for as long as any attempt may still read it.
     *
     * @param id the blob's own id, which names it unless the segments go into a shared blob
     * @param layout the blob
     * @param content the blob's bytes, those of the layout
     */
    CompletionStage<Placement> put(BlobId id, BlobLayout layout, BlobContent content);

    /**
     * Stores the segments as {@link #put(BlobId, BlobLayout, BlobContent)} does. If readers find
     * them before they are durable, the sink reports the placement then, at most once.
     *
     * @param whenReadable called by any thread, perhaps after the stage has completed; must only
     *     enqueue
     */
    default CompletionStage<Placement> put(
            BlobId id, BlobLayout layout, BlobContent content, Consumer<Placement> whenReadable) {
        return put(id, layout, content);
    }

    /**
     * Whether a batch goes through the channel as records, because this costs less than a blob.
     *
     * @param alone the size below which it does if each blob is stored by itself
     */
    default boolean inlines(long batchBytes, long alone) {
        return batchBytes < alone;
    }
}
