package dev.blobshuffle.testkit;

import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobStore;

class MemoryBlobStoreContractTest extends BlobStoreContractTest {
    @Override
    protected BlobStore open() {
        return new MemoryBlobStore("contract", 256 << 20);
    }
}
