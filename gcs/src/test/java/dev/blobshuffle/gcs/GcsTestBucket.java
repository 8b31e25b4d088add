package dev.blobshuffle.gcs;

import dev.blobshuffle.testkit.internal.servers.FakeGcsServer;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates buckets in a fake-gcs-server. It keeps no state but their names. */
final class GcsTestBucket {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private GcsTestBucket() {}

    /** Creates an empty bucket and returns its name. */
    static String make(FakeGcsServer server) {
        String name = "bucket-" + COUNT.incrementAndGet();
        server.makeBucket(name);
        return name;
    }
}
