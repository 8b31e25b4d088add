package dev.blobshuffle.s3;

import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.testkit.BlobStoreContractTest;
import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Runs the contract on a real server. */
class VersityGatewayContractIT extends BlobStoreContractTest {
    private static final SystemTime TIME = new SystemTime();
    private static final AtomicInteger STORES = new AtomicInteger();

    @BeforeAll
    static void useCredentials() {
        TestCredentials.use(VersityGateway.ACCESS_KEY, VersityGateway.SECRET_KEY);
    }

    /**
     * Starts the server in each test: reports omit tests that are skipped in {@code @BeforeAll}.
     */
    private static VersityGateway server() {
        VersityGateway server = VersityGateway.shared();
        server.makeBucket("contract");
        return server;
    }

    @Override
    protected BlobStore open() {
        return BlobStores.open(
                "s3://contract/store-" + STORES.incrementAndGet() + "?path-style=true&endpoint=" + server().endpoint(),
                TIME);
    }

    @AfterAll
    static void end() {
        TIME.close();
    }
}
