package dev.blobshuffle.testkit.internal.servers;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** Where {@code .ci/install-servers} puts the servers, else the PATH. Stateless. */
final class InstalledServer {
    private InstalledServer() {}

    /** The executable of a server; without it the test that asks is skipped. */
    static Path require(String name) {
        Optional<Path> found = candidates(System.getenv()).stream()
                .map(directory -> directory.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
        Assumptions.assumeTrue(
                found.isPresent(),
                () -> "Cannot start " + name
                        + ": it is not installed. Run .ci/install-servers, which takes some minutes, once.");
        return found.orElseThrow();
    }

    private static List<Path> candidates(Map<String, String> environment) {
        List<Path> directories = new ArrayList<>();
        String home = environment.get("BLOBSHUFFLE_SERVERS");
        if (home == null) {
            String cache = environment.getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
            home = cache + "/blobshuffle-servers";
        }
        directories.add(Path.of(home, "bin"));
        for (String entry : environment.getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                directories.add(Path.of(entry));
            }
        }
        return directories;
    }
}
