package dev.blobshuffle.testkit.internal.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A versitygw: an S3 server over directories, one for each bucket. It keeps metadata in separate
 * files (sidecar), so file systems without extended attributes also work. Stored blobs survive a
 * restart. Thread-safe.
 */
public final class VersityGateway extends StoreServer {
    private static final InstalledServer INSTALLED = InstalledServer.named("versitygw", "versitygw");

    /** The access key that the server accepts. */
    public static final String ACCESS_KEY = "blobshuffle";

    /** Its secret. */
    public static final String SECRET_KEY = "blobshuffle-secret";

    private final Path buckets;

    private static @Nullable VersityGateway shared; // guarded by the class

    private VersityGateway(Path directory) {
        super(INSTALLED, directory.resolve("versitygw.log"), port -> arguments(directory, port));
        buckets = directory.resolve("buckets");
    }

    /**
     * Starts a server over a directory, which must exist. Skips the test if versitygw is not
     * installed.
     */
    public static VersityGateway start(Path directory) {
        makeDirectory(directory.resolve("buckets"));
        // If a directory beside the buckets has a name that starts like theirs, the server treats
        // it as part of them.
        makeDirectory(directory.resolve("sidecar"));
        return new VersityGateway(directory);
    }

    /**
     * The server that everything in this JVM shares, started by the first call. It ends with the
     * JVM, and {@link #close} has no effect on it; it cannot be killed or paused. Choose names of
     * your own for buckets. Skips the test if the server is not installed.
     */
    public static synchronized VersityGateway shared() {
        if (shared == null) {
            INSTALLED.require();
            Path directory = SharedDirectory.create();
            VersityGateway started = start(directory);
            started.share(directory);
            shared = started;
        }
        return shared;
    }

    /** Makes a bucket. */
    public void makeBucket(String name) {
        makeDirectory(buckets.resolve(name));
    }

    private static List<String> arguments(Path directory, int port) {
        return List.of(
                "--port",
                "127.0.0.1:" + port,
                "--access",
                ACCESS_KEY,
                "--secret",
                SECRET_KEY,
                "--keep-alive",
                "--quiet",
                "posix",
                "--sidecar",
                directory.resolve("sidecar").toString(),
                directory.resolve("buckets").toString());
    }

    private static void makeDirectory(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot make a directory for versitygw: " + e.getMessage() + ". Give one that can be written.", e);
        }
    }
}
