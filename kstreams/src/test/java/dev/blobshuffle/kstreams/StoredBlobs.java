package dev.blobshuffle.kstreams;

import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import java.util.Set;
import java.util.stream.Collectors;

/** Looks into a store. Stateless. */
final class StoredBlobs {
    private StoredBlobs() {}

    /** The blobs of all owners. */
    static Set<BlobId> in(String uri) {
        try (SystemTime time = new SystemTime();
                BlobStore store = BlobStores.open(uri, time)) {
            return store.owners().toCompletableFuture().join().stream()
                    .flatMap(owner -> store.generations(owner).toCompletableFuture().join().stream()
                            .flatMap(generation -> store.list(owner, generation).toCompletableFuture().join().stream()))
                    .map(StoredBlob::id)
                    .collect(Collectors.toSet());
        }
    }
}
