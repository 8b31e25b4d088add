package dev.blobshuffle.testkit.internal.servers;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A program that {@code .ci/install-servers} installs, in one version. A test is skipped if a
 * program that it needs is not installed, with the reason that the installation recorded.
 * Immutable.
 *
 * @param name its name in {@code .ci/install-servers}
 * @param version the version that the tests were written for
 * @param executable the file to run, relative to its directory
 */
record InstalledServer(String name, String version, String executable) {
    /** A server in the version that {@code versions.properties} says. */
    static InstalledServer named(String name, String executable) {
        Properties versions = new Properties();
        try (InputStream file = InstalledServer.class.getResourceAsStream("versions.properties")) {
            versions.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the servers' versions: " + e + ". Build module testkit.", e);
        }
        return new InstalledServer(name, versions.getProperty(name), executable);
    }

    /** The executable. Skips the test if there is none. */
    Path require() {
        Found found = find(System.getenv());
        Assumptions.assumeTrue(found.path().isPresent(), () -> "Cannot start " + name + ": " + found.reason());
        return found.path().orElseThrow();
    }

    /**
     * The executable that was installed in our version; else one that the cache's {@code bin} or
     * the PATH has in a compatible version.
     */
    Found find(Map<String, String> environment) {
        Path cache = cache(environment);
        Path own = cache.resolve(name + "-" + version).resolve(executable);
        Path file = Path.of(executable).getFileName();
        Found found = Files.isExecutable(own)
                ? Found.at(own)
                : Stream.concat(Stream.of(cache.resolve("bin")), path(environment))
                        .map(directory -> directory.resolve(file))
                        .filter(Files::isExecutable)
                        .findFirst()
                        .map(this::compatible)
                        .orElseGet(() -> Found.not(reason(cache)));
        return found.path().map(path -> withInterpreter(path, environment)).orElse(found);
    }

    private Found compatible(Path file) {
        Optional<ServerVersion> foreign = ServerVersion.of(file);
        if (foreign.isPresent() && foreign.get().isCompatibleWith(ServerVersion.parse(version))) {
            return Found.at(file);
        }
        return Found.not(file + " has " + foreign.map(one -> "version " + one).orElse("an unknown version")
                + ", and the tests need " + version + " or a newer one of its major version. Run .ci/install-servers "
                + name + ".");
    }

    /**
     * A script that {@code env} starts, as npm installs them, needs its interpreter on the PATH.
     */
    private Found withInterpreter(Path file, Map<String, String> environment) {
        Optional<String> interpreter = ServerVersion.interpreter(file);
        boolean isThere = interpreter
                .map(program -> path(environment).map(at -> at.resolve(program)).anyMatch(Files::isExecutable))
                .orElse(true);
        return isThere
                ? Found.at(file)
                : Found.not("there is no " + interpreter.orElseThrow() + " on the PATH, which runs " + file
                        + ". Install it.");
    }

    /** The reason that the installation recorded. */
    private String reason(Path cache) {
        try {
            return "it is not installed: "
                    + Files.readString(cache.resolve("missing").resolve(name)).strip();
        } catch (IOException e) {
            return "it is not installed. Run .ci/install-servers " + name + ", which takes some minutes, once.";
        }
    }

    private static Path cache(Map<String, String> environment) {
        String home = environment.get("BLOBSHUFFLE_SERVERS");
        if (home == null) {
            String cache = environment.getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
            home = cache + "/blobshuffle-servers";
        }
        return Path.of(home);
    }

    private static Stream<Path> path(Map<String, String> environment) {
        String path = environment.getOrDefault("PATH", "");
        return List.of(path.split(File.pathSeparator, -1)).stream()
                .filter(entry -> !entry.isEmpty())
                .map(Path::of);
    }

    /**
     * The result of the search for an executable.
     *
     * @param path the executable
     * @param reason why there is none, empty if there is one
     */
    record Found(Optional<Path> path, String reason) {
        static Found at(Path path) {
            return new Found(Optional.of(path), "");
        }

        static Found not(String reason) {
            return new Found(Optional.empty(), reason);
        }
    }
}
