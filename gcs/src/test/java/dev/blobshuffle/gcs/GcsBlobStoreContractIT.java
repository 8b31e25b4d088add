package dev.blobshuffle.gcs;

import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.testkit.BlobStoreContractTest;
import dev.blobshuffle.testkit.internal.servers.FakeGcsServer;
import org.junit.jupiter.api.AfterEach;

/** Runs the contract of every store on fake-gcs-server. */
class GcsBlobStoreContractIT extends BlobStoreContractTest {
    private final SystemTime time = new SystemTime();

    @Override
    protected BlobStore open() {
        FakeGcsServer server = FakeGcsServer.shared();
        return BlobStores.open(
                "gs://" + GcsTestBucket.make(server) + "/team/shuffle?endpoint=" + server.endpoint(), time);
    }

    @AfterEach
    void end() {
        time.close();
    }
}
