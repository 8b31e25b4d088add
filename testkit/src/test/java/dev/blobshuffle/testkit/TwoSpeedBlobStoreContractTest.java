package dev.blobshuffle.testkit;

import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.opening.TwoSpeedBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import org.junit.jupiter.api.AfterAll;

class TwoSpeedBlobStoreContractTest extends BlobStoreContractTest {
    private static final SystemTime TIME = new SystemTime();

    @Override
    protected BlobStore open() {
        StoreHalves halves =
                new StoreHalves(new MemoryBlobStore("fast", 256 << 20), new MemoryBlobStore("contract", 256 << 20));
        return new TwoSpeedBlobStore(halves, TIME, new ShuffleMetrics());
    }

    @AfterAll
    static void end() {
        TIME.close();
    }
}
