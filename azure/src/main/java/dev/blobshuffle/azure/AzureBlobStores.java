package dev.blobshuffle.azure;

import com.azure.storage.blob.BlobContainerClient;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.BucketBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;

/**
 * Opens stores in containers of Azure Blob Storage through the application's own client. Most
 * applications name the store by its URI instead. Stateless.
 */
public final class AzureBlobStores {
    private AzureBlobStores() {}

    /**
     * Opens the store in a container. Blocks.
     *
     * @param client remains the caller's. Configure it with one try ({@code RequestRetryOptions}),
     *     because its own retries are billed but not counted. The store copies content once for it,
     *     because its transport may still read after it has reported a failure
     * @param prefix the common prefix of all keys, such as {@code team/shuffle}; empty for none
     * @param context the store's environment; the caller keeps ownership
     * @throws dev.blobshuffle.core.failure.StoreRefusedException fatal until an operator acts: the
     *     container does not exist, or the client may not use it
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the container is
     *     unreachable
     */
    public static BlobStore open(BlobContainerClient client, String prefix, StoreContext context) {
        return BucketBlobStore.open(
                new AzureBucket(client, AzureChecksum.MD5, Body.COPIED, context.time(), () -> {}),
                KeyPrefix.of(prefix),
                context);
    }
}
