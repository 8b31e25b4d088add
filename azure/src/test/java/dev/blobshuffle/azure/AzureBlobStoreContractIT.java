package dev.blobshuffle.azure;

import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.testkit.BlobStoreContractTest;
import dev.blobshuffle.testkit.internal.servers.Azurite;
import org.junit.jupiter.api.AfterEach;

/** Runs the contract of every store on Azurite. */
class AzureBlobStoreContractIT extends BlobStoreContractTest {
    private final SystemTime time = new SystemTime();

    @Override
    protected BlobStore open() {
        Azurite server = Azurite.shared();
        return BlobStores.open(AzureTestContainer.uri(server, AzureTestContainer.make(server), "/team/shuffle"), time);
    }

    @AfterEach
    void end() {
        time.close();
    }
}
