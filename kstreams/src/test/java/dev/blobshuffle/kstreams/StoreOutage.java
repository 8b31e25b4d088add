package dev.blobshuffle.kstreams;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A file store whose directory is missing for a while. Owned by the test's thread. */
public final class StoreOutage {
    private final Path blobs;
    private final Path away;

    private StoreOutage(Path blobs) {
        this.blobs = blobs;
        this.away = blobs.resolveSibling(blobs.getFileName() + "-away");
    }

    /** Removes the directory. */
    public static StoreOutage begin(Path blobs) throws IOException {
        StoreOutage outage = new StoreOutage(blobs);
        Files.move(blobs, outage.away);
        return outage;
    }

    /**
     * Restores the directory. A put in flight may have recreated it; what it left there is no blob.
     */
    public void end() throws IOException {
        while (Files.exists(blobs)) {
            try (Stream<Path> left = Files.walk(blobs)) {
                left.sorted(Comparator.reverseOrder()).forEach(file -> {
                    boolean ignored = file.toFile().delete();
                });
            } catch (UncheckedIOException e) {
                // It changed meanwhile: try again.
            }
        }
        Files.move(away, blobs);
    }
}
