package dev.blobshuffle.gcs;

import com.google.cloud.storage.Storage;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BucketBlobStore;
import dev.blobshuffle.core.store.KeyPrefix;
import dev.blobshuffle.core.store.StoreContext;

/** Opens stores in buckets of Google Cloud Storage by the application's own client. Most applications name the store by its URI instead. Stateless. */
public final class GcsBlobStores {
    private GcsBlobStores() {}

    /**
     * Opens the store in a bucket. Blocks.
     *
     * @param client stays the caller's, who closes it after the store. What it repeats on its own is billed and not counted: best without retries
     * @param bucket the bucket's name
     * @param prefix what all keys begin with
     * @param context what the store works with; the caller goes on owning it
     * @throws dev.blobshuffle.core.failure.StoreRefused fatal unless somebody acts: the bucket is not there, or the client may not use it
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the bucket cannot be reached
     */
    public static BlobStore open(Storage client, String bucket, KeyPrefix prefix, StoreContext context) {
        return BucketBlobStore.open(new GcsBucket(client, bucket, Checksum.CRC32C, () -> {}), prefix, context);
    }
}
