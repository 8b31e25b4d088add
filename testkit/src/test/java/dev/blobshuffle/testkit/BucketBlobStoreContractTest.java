package dev.blobshuffle.testkit;

import dev.blobshuffle.core.internal.store.BucketBlobStore;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import org.junit.jupiter.api.AfterEach;

class BucketBlobStoreContractTest extends BlobStoreContractTest {
    private final SystemTime time = new SystemTime();

    @Override
    protected BlobStore open() {
        return BucketBlobStore.open(new HeapBucket(), new KeyPrefix("team/shuffle/"), StoreContext.unmetered(time));
    }

    @AfterEach
    void end() {
        time.close();
    }
}
