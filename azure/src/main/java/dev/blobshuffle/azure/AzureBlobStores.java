package dev.blobshuffle.azure;

import com.azure.storage.blob.BlobContainerClient;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BucketBlobStore;
import dev.blobshuffle.core.store.KeyPrefix;
import dev.blobshuffle.core.store.StoreContext;

/** Opens stores in containers of Azure Blob Storage by the application's own client. Most applications name the store by its URI instead. Stateless. */
public final class AzureBlobStores {
    private AzureBlobStores() {}

    /**
     * Opens the store in a container. Blocks.
     *
     * @param client stays the caller's. What it repeats on its own is billed and not counted: best with one try ({@code RequestRetryOptions}). Content is copied for
     *     it once, because its transport may go on reading after it has reported a failure
     * @param prefix what all keys begin with
     * @param context what the store works with; the caller goes on owning it
     * @throws dev.blobshuffle.core.failure.StoreRefused fatal unless somebody acts: the container is not there, or the client may not use it
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the container cannot be reached
     */
    public static BlobStore open(BlobContainerClient client, KeyPrefix prefix, StoreContext context) {
        return BucketBlobStore.open(
                new AzureBucket(client, Checksum.MD5, Body.COPIED, context.time(), () -> {}), prefix, context);
    }
}
