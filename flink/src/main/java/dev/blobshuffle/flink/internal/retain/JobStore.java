package dev.blobshuffle.flink.internal.retain;

import dev.blobshuffle.core.internal.claim.JobOwner;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.StorePlaces;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store as one job uses it. All jobs of Flink keep their blobs in a store of their own below
 * the named one, {@code flink/}, so no sweep of another engine lists them. Within it each job is an
 * owner ({@link JobOwner}). As thread-safe as the store.
 */
public final class JobStore extends ForwardingBlobStore {
    /** The directory of Flink's blobs, below the store's prefix. */
    private static final String PLACE = "flink";

    private static final Logger LOG = LoggerFactory.getLogger(JobStore.class);

    private final int owner;

    private JobStore(BlobStore store, int owner) {
        super(store);
        this.owner = owner;
    }

    /**
     * Opens the store for the tasks of a job. Blocks.
     *
     * @param uri of the store that the user named
     * @param job names the job ({@link JobOwner})
     */
    public static BlobStore open(String uri, StoreContext context, String job) {
        BlobStore store = BlobStores.open(below(uri), context);
        try {
            return store.registers()
                    .map(registers -> owned(store, new JobOwner(registers, job, context.time()).findOrMake(), job))
                    .orElse(store);
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    /** The log is where a user learns what to delete when the job has ended. */
    private static BlobStore owned(BlobStore store, int owner, String job) {
        LOG.info("The blobs of job {} are in {}/{} below the store.", job, PLACE, BlobKey.owner(owner));
        return new JobStore(store, owner);
    }

    /** The URI of the place of Flink's blobs. */
    static String below(String uri) {
        return StorePlaces.below(uri, PLACE);
    }

    @Override
    public CompletionStage<Integer> owner() {
        return CompletableFuture.completedFuture(owner);
    }
}
