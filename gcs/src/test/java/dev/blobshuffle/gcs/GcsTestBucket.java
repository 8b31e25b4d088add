package dev.blobshuffle.gcs;

import com.google.cloud.NoCredentials;
import com.google.cloud.storage.BucketInfo;
import dev.blobshuffle.testkit.servers.FakeGcsServer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** New buckets in a fake-gcs-server. Stateless but for their names. */
final class GcsTestBucket {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private GcsTestBucket() {}

    /** Makes an empty bucket and gives its name. */
    static String make(FakeGcsServer server) {
        String name = "bucket-" + COUNT.incrementAndGet();
        try (GcsClient client = new GcsClient()) {
            client.storage(
                            NoCredentials.getInstance(),
                            Optional.of(server.endpoint().toString()),
                            Optional.of("test"))
                    .create(BucketInfo.of(name));
        }
        return name;
    }
}
