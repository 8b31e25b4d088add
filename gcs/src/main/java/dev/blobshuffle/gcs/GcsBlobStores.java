package dev.blobshuffle.gcs;

import com.google.cloud.storage.Storage;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.BucketBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;

/**
 * Opens stores in buckets of Google Cloud Storage through the application's own client. Most
 * applications name the store by its URI instead. Stateless.
 */
public final class GcsBlobStores {
    private GcsBlobStores() {}

    /**
     * Opens the store in a bucket. Blocks.
     *
     * @param client remains the caller's; close it after the store. Configure it without retries,
     *     because its own retries are billed but not counted
     * @param bucket the bucket's name
     * @param prefix the common prefix of all keys, such as {@code team/shuffle}; empty for none
     * @param context the store's environment; the caller keeps ownership
     * @throws dev.blobshuffle.core.failure.StoreRefusedException fatal until an operator acts: the
     *     bucket does not exist, or the client may not use it
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the bucket is
     *     unreachable
     */
    public static BlobStore open(Storage client, String bucket, String prefix, StoreContext context) {
        return BucketBlobStore.open(
                new GcsBucket(client, bucket, GcsChecksum.CRC32C, () -> {}), KeyPrefix.of(prefix), context);
    }
}
