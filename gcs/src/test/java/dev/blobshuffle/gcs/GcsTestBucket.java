package dev.blobshuffle.gcs;

import dev.blobshuffle.testkit.internal.servers.FakeGcsServer;
import java.util.concurrent.atomic.AtomicInteger;

/** New buckets in a fake-gcs-server. Stateless but for their names. */
final class GcsTestBucket {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private GcsTestBucket() {}

    /** Makes an empty bucket and gives its name. */
    static String make(FakeGcsServer server) {
        String name = "bucket-" + COUNT.incrementAndGet();
        server.makeBucket(name);
        return name;
    }
}
