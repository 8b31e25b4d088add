package dev.blobshuffle.core.store;

import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.format.GenerationSpan;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store that can tell how long a blob is, so that whoever knows nothing but its id, such as a sweep, can read its footer; and that lists generations together, for it has many. Thread-safe.
 */
public interface MeasurableStore extends BlobStore {
    /** The length of a blob, bytes. Fails as {@link #get} does. */
    CompletionStage<Long> length(BlobId id);

    /** What this store keeps beside blobs; empty if it cannot compare and set. Such a store is not swept. */
    default Optional<Registers> registers() {
        return Optional.empty();
    }

    /** The blobs of several generations, in no order: as {@link #list(long)} of each, which costs a store of objects many times the requests. */
    default CompletionStage<List<BlobId>> list(GenerationSpan generations) {
        FutureGroup<List<BlobId>> lists = new FutureGroup<>();
        for (long generation = generations.first(); generation < generations.last(); generation++) {
            lists.add(list(generation));
        }
        lists.add(list(generations.last()));
        return lists.all(all -> all.stream().flatMap(List::stream).toList());
    }
}
