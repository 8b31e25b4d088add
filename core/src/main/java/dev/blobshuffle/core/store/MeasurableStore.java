package dev.blobshuffle.core.store;

import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.format.GenerationSpan;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store that can report the length of a blob and list several generations together. With the
 * length, a sweep that only knows the id can read the blob's footer. Thread-safe.
 */
public interface MeasurableStore extends BlobStore {
    /** The length of a blob, bytes. Fails as {@link #get} does. */
    CompletionStage<Long> length(BlobId id);

    /**
     * The registers that this store keeps beside blobs. Empty if the store has no compare-and-set;
     * such a store is not swept.
     */
    default Optional<Registers> registers() {
        return Optional.empty();
    }

    /**
     * The blobs of several generations, in no order. Returns the same as {@link #list(long)} of
     * each, which would cost an object store many times the requests.
     */
    default CompletionStage<List<BlobId>> list(GenerationSpan generations) {
        FutureGroup<List<BlobId>> lists = new FutureGroup<>();
        for (long generation = generations.first(); generation < generations.last(); generation++) {
            lists.add(list(generation));
        }
        lists.add(list(generations.last()));
        return lists.all(all -> all.stream().flatMap(List::stream).toList());
    }
}
