package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.testkit.NamedBlobsContractTest;
import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Runs the contract of named blobs on a real server. */
class S3NamedBlobsContractIT extends NamedBlobsContractTest {
    private static final SystemTime TIME = new SystemTime();
    private static final AtomicInteger PLACES = new AtomicInteger();

    @BeforeAll
    static void useCredentials() {
        TestCredentials.use(VersityGateway.ACCESS_KEY, VersityGateway.SECRET_KEY);
    }

    /**
     * Starts the server in each test: reports omit tests that are skipped in {@code @BeforeAll}.
     */
    private static VersityGateway server() {
        VersityGateway server = VersityGateway.shared();
        server.makeBucket("named");
        return server;
    }

    @Override
    protected NamedBlobs open() {
        return open(
                "named/place-" + PLACES.incrementAndGet(), server().endpoint().toString());
    }

    private static NamedBlobs open(String path, String endpoint) {
        return BlobStores.openNamed(
                "s3://" + path + "?path-style=true&endpoint=" + endpoint, StoreContext.unmetered(TIME));
    }

    @AfterAll
    static void end() {
        TIME.close();
    }

    @Test
    void aBucketThatIsNotThereIsRefused() {
        try (NamedBlobs blobs = open("absent", server().endpoint().toString())) {
            assertThatThrownBy(() -> blobs.put("a", BlobContent.of(new byte[1])))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("Create the bucket");
            assertThatThrownBy(() -> blobs.read("a", 0, ByteBuffer.allocate(1)))
                    .isInstanceOf(StoreRefusedException.class);
        }
    }

    @Test
    void aStoreThatDoesNotRunIsUnavailableAndOpensNevertheless() {
        try (NamedBlobs blobs = open("named", "http://127.0.0.1:1")) {
            assertThatThrownBy(() -> blobs.list("a/"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("cannot be reached");
        }
    }

    @Test
    void aBlobTooLongForOneRequestIsRefused() {
        try (NamedBlobs blobs = open()) {
            assertThatThrownBy(() -> blobs.put("a/long", new TooLong()))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("5368709121 bytes")
                    .hasMessageContaining("Write smaller blobs");
        }
    }

    private static final class TooLong implements BlobContent {
        @Override
        public long length() {
            return (5L << 30) + 1;
        }

        @Override
        public List<ByteBuffer> buffers() {
            throw new AssertionError("nothing is read");
        }

        @Override
        public void retain() {}

        @Override
        public void release() {}
    }
}
