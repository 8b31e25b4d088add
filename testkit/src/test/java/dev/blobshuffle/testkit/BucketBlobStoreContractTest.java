package dev.blobshuffle.testkit;

import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.BucketBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import org.junit.jupiter.api.AfterEach;

class BucketBlobStoreContractTest extends BlobStoreContractTest {
    private final SystemTime time = new SystemTime();
    private final HeapBucket bucket = new HeapBucket();

    @Override
    protected BlobStore open() {
        return BucketBlobStore.open(bucket, new KeyPrefix("team/shuffle/"), StoreContext.unmetered(time));
    }

    @Override
    protected boolean putBeside(String key) {
        bucket.objects.put("team/shuffle/" + key, new byte[3]);
        return true;
    }

    @Override
    protected boolean loseMarker() {
        return bucket.objects.remove("team/shuffle/blobshuffle-store") != null;
    }

    @AfterEach
    void end() {
        time.close();
    }
}
