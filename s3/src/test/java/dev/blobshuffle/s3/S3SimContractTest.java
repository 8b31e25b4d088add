package dev.blobshuffle.s3;

import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.s3sim.S3Sim;
import dev.blobshuffle.testkit.BlobStoreContractTest;
import org.junit.jupiter.api.AfterEach;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** Runs the contract through the client that a URI creates. */
class S3SimContractTest extends BlobStoreContractTest {
    private final SystemTime time = new SystemTime();
    private final S3Sim sim = S3Sim.builder().bucket("contract").start();

    @Override
    protected BlobStore open() {
        TestCredentials.use();
        return BlobStores.open(uri(), time);
    }

    private String uri() {
        return "s3://contract/team/shuffle?path-style=true&endpoint=" + sim.endpoint();
    }

    @Override
    protected boolean putBeside(String key) {
        try (NamedBlobs beside = BlobStores.openNamed(uri(), StoreContext.unmetered(time))) {
            beside.put(key, BlobContent.of(new byte[3]));
        }
        return true;
    }

    @Override
    protected boolean loseMarker() {
        try (S3Client client = S3Client.builder()
                .endpointOverride(sim.endpoint())
                .forcePathStyle(true)
                .region(Region.US_EAST_1)
                .build()) {
            client.deleteObject(request -> request.bucket("contract").key("team/shuffle/blobshuffle-store"));
        }
        return true;
    }

    @AfterEach
    void end() {
        sim.close();
        time.close();
    }
}
