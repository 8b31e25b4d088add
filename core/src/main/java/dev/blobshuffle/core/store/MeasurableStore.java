package dev.blobshuffle.core.store;

import dev.blobshuffle.core.format.BlobId;
import java.util.concurrent.CompletionStage;

/** A store that can tell how long a blob is, so that whoever knows nothing but its id, such as {@code blobshuffle gc}, can read its footer. Thread-safe. */
public interface MeasurableStore extends BlobStore {
    /** The length of a blob, bytes. Fails as {@link #get} does. */
    CompletionStage<Long> length(BlobId id);
}
