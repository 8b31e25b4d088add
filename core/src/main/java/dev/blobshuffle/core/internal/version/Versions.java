package dev.blobshuffle.core.internal.version;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;

/**
 * The table of versions that work with BlobShuffle: the resource {@code versions.txt}, from which
 * {@code docs/compatibility.md} is generated. Thread-safe.
 */
public final class Versions {
    private static final List<Supported> TABLE = read();

    private Versions() {}

    /** The lines of the table. */
    public static List<Supported> table() {
        return TABLE;
    }

    /**
     * The line of a library.
     *
     * @param artifact {@code group:artifact}
     */
    public static Supported of(String artifact) {
        return find(artifact)
                .orElseThrow(() -> new IllegalArgumentException("Cannot find " + artifact + " in versions.txt."));
    }

    private static Optional<Supported> find(String artifact) {
        return TABLE.stream()
                .filter(line -> line.artifact().equals(Optional.of(artifact)))
                .findFirst();
    }

    /**
     * Refuses a library on the class path that is too old, before a missing method fails at run
     * time. A library without a known version is accepted, and so is one that a shaded jar has
     * relocated: its build also changes the artifact's name in our classes, and not in the table.
     *
     * @param what the action that needs it, for example {@code open store s3://}
     * @param artifact {@code group:artifact}
     * @param loader the class loader of the library
     * @throws InvalidSettingsException fatal: the message names both versions and the remedy
     */
    public static void require(String what, String artifact, ClassLoader loader) {
        require(what, artifact, present(artifact, loader));
    }

    /**
     * The same check for a version that the caller knows.
     *
     * @param present the version on the class path; an empty one is accepted
     * @throws InvalidSettingsException fatal: the message names both versions and the remedy
     */
    public static void require(String what, String artifact, Optional<String> present) {
        find(artifact)
                .ifPresent(library -> present.filter(library::isTooOld).ifPresent(version -> {
                    throw new InvalidSettingsException("Cannot " + what + ": " + library.refusal(version)
                            + ". Set the version of " + artifact + " in your build, for example to "
                            + library.newest() + ".");
                }));
    }

    /**
     * The version of a library, from the file that Maven adds to its jar; empty if the file is
     * missing.
     */
    public static Optional<String> present(String artifact, ClassLoader loader) {
        String path = "META-INF/maven/" + artifact.replace(':', '/') + "/pom.properties";
        Properties properties = new Properties();
        try (InputStream file = loader.getResourceAsStream(path)) {
            if (file == null) {
                return Optional.empty();
            }
            properties.load(file);
        } catch (IOException e) {
            return Optional.empty();
        }
        return Optional.ofNullable(properties.getProperty("version"));
    }

    private static List<Supported> read() {
        InputStream file = Objects.requireNonNull(Versions.class.getResourceAsStream("versions.txt"));
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            return lines.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(Versions::parse)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the table of versions: " + e.getMessage() + ".", e);
        }
    }

    private static Supported parse(String line) {
        String[] cells = line.split("\\|", -1);
        if (cells.length != 6) {
            throw new IllegalStateException("Cannot read '" + line + "' in versions.txt. Write six cells.");
        }
        for (int i = 0; i < cells.length; i++) {
            cells[i] = cells[i].strip();
        }
        return new Supported(
                cells[0],
                Optional.of(cells[1]).filter(artifact -> !artifact.isEmpty()),
                cells[2],
                cells[3],
                cells[4],
                cells[5]);
    }
}
