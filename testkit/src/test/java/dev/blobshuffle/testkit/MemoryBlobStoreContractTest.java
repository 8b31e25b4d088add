package dev.blobshuffle.testkit;

import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.MemoryBlobStore;

class MemoryBlobStoreContractTest extends BlobStoreContractTest {
    @Override
    protected BlobStore open() {
        return new MemoryBlobStore("contract", 256 << 20);
    }
}
