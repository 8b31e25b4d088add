package dev.blobshuffle.testkit.internal.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The directory of a server that the whole JVM shares. Stateless. */
final class SharedDirectory {
    private SharedDirectory() {}

    static Path create() {
        try {
            return Files.createTempDirectory("blobshuffle-server-");
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot make a directory for a server: " + e + ". Check java.io.tmpdir.", e);
        }
    }

    /** When this JVM ends, kills the server and deletes its directory. */
    static void endWithTheJvm(StoreServer server, Path directory) {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            server.end();
                            delete(directory);
                        },
                        "server-end"));
    }

    static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            // The system clears its temporary directory sooner or later.
            return;
        }
    }
}
