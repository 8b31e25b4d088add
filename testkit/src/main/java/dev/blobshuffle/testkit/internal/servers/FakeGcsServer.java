package dev.blobshuffle.testkit.internal.servers;

import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fake-gcs-server: Google Cloud Storage's JSON and XML interfaces, without credentials. It keeps
 * all blobs in memory, so a restart loses them. Thread-safe.
 */
public final class FakeGcsServer extends StoreServer {
    private static final InstalledServer INSTALLED = InstalledServer.named("fake-gcs-server", "fake-gcs-server");
    private static @Nullable FakeGcsServer shared; // guarded by the class

    private FakeGcsServer(Path directory) {
        super(INSTALLED, directory.resolve("fake-gcs-server.log"), FakeGcsServer::arguments);
    }

    /**
     * Starts a server without buckets, whose log lies in a directory, which must exist. Skips the
     * test if fake-gcs-server is not installed.
     */
    public static FakeGcsServer start(Path directory) {
        return new FakeGcsServer(directory);
    }

    /**
     * The server that everything in this JVM shares, started by the first call. It ends with the
     * JVM, and {@link #close} has no effect on it; it cannot be killed or paused. Choose names of
     * your own for buckets. Skips the test if the server is not installed.
     */
    public static synchronized FakeGcsServer shared() {
        if (shared == null) {
            INSTALLED.require();
            Path directory = SharedDirectory.create();
            FakeGcsServer started = start(directory);
            started.share(directory);
            shared = started;
        }
        return shared;
    }

    /** Makes a bucket. */
    public void makeBucket(String name) {
        StoreRequest.send(HttpRequest.newBuilder(endpoint().resolve("/storage/v1/b?project=test"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"" + name + "\"}")));
    }

    private static List<String> arguments(int port) {
        return List.of(
                "-scheme",
                "http",
                "-host",
                "127.0.0.1",
                "-port",
                Integer.toString(port),
                "-backend",
                "memory",
                "-log-level",
                "warn",
                "-external-url",
                "http://127.0.0.1:" + port);
    }
}
