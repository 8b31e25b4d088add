package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.version.Supported;
import dev.blobshuffle.core.internal.version.Versions;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Finds the jars on a class path that affect BlobShuffle, with their versions. A version comes from
 * the name of a jar. For libraries within a jar it comes from the names of nested jars (Spring
 * Boot, WAR files), or from the files that builds add to each library (shaded jars). Owned by one
 * thread.
 */
final class ClassPathJars {
    static final String CLIENTS = "kafka-clients";
    static final String STREAMS = "kafka-streams";
    static final String ZSTD = "zstd-jni";
    static final String LZ4 = "lz4-java";
    static final String HTTP_CORE = "httpcore5";
    static final String OWN = "blobshuffle-";

    /** The version of a library within a jar that does not state it. */
    private static final String UNKNOWN = "unknown";

    private static final Pattern JAR = Pattern.compile("(?:.*/)?([^/]+?)-([0-9][^/]*)\\.jar");
    private static final Pattern MAVEN = Pattern.compile("META-INF/maven/[^/]+/([^/]+)/pom\\.properties");
    private static final Set<String> NAMES = Stream.concat(
                    Stream.of(CLIENTS, STREAMS, ZSTD, LZ4, HTTP_CORE),
                    Versions.table().stream().map(Supported::jar).flatMap(jar -> jar.stream()))
            .collect(Collectors.toUnmodifiableSet());

    private final Map<String, Set<String>> versions = new TreeMap<>();

    private ClassPathJars() {}

    /**
     * The versions of each jar, by its name without the version.
     *
     * @param classPath in the form of {@code java -cp}; may contain directories of jars
     * @throws InvalidSettingsException a jar does not exist
     */
    static Map<String, Set<String>> versions(String classPath) throws IOException {
        ClassPathJars jars = new ClassPathJars();
        for (String entry : classPath.split(File.pathSeparator)) {
            Path path = Path.of(entry.endsWith("*") ? entry.substring(0, entry.length() - 1) : entry);
            if (Files.isDirectory(path)) {
                try (Stream<Path> files = Files.list(path)) {
                    for (Path file : files.sorted().toList()) {
                        jars.add(file);
                    }
                }
            } else {
                jars.add(path);
            }
        }
        if (jars.versions.isEmpty()) {
            throw new InvalidSettingsException("No jar of Kafka or BlobShuffle is in " + classPath
                    + ". Give the class path as java -cp has it, the directory of the jars, or the application's jar.");
        }
        return jars.versions;
    }

    private void add(Path file) throws IOException {
        Path name = file.getFileName();
        boolean isArchive = name != null && name.toString().matches(".*\\.[jw]ar");
        if (isArchive && !addNamed(name.toString()) && Files.isRegularFile(file)) {
            addContent(file);
        }
    }

    /** Adds a jar by its name; returns whether it affects BlobShuffle. */
    private boolean addNamed(String path) {
        Matcher matcher = JAR.matcher(path);
        if (!matcher.matches()
                || matcher.group(2).endsWith("-sources")
                || matcher.group(2).endsWith("-tests")) {
            return false;
        }
        // Quarkus prefixes the group, and the names of lz4 may have it too.
        String name = matcher.group(1).replaceFirst("^.*\\.(?=" + OWN + ")", "");
        if (name.startsWith(OWN)) {
            return put(name, matcher.group(2));
        }
        return NAMES.stream()
                .filter(known -> name.equals(known) || name.endsWith("." + known) || name.equals("at-yawk-" + known))
                .findFirst()
                .map(known -> put(known, matcher.group(2)))
                .orElse(false);
    }

    private boolean put(String name, String version) {
        versions.computeIfAbsent(name, any -> new TreeSet<>()).add(version);
        return true;
    }

    private void addContent(Path file) throws IOException {
        try (ZipFile zip = new ZipFile(file.toFile())) {
            for (ZipEntry entry : zip.stream().toList()) {
                String name = entry.getName();
                Matcher maven = MAVEN.matcher(name);
                if (name.endsWith(".jar")) {
                    addNamed(name);
                } else if (maven.matches() && (NAMES.contains(maven.group(1)) || name.contains("/" + OWN))) {
                    put(maven.group(1), version(zip, entry));
                } else if (name.equals("kafka/kafka-version.properties")) {
                    put(CLIENTS, version(zip, entry));
                } else if (name.equals("kafka/kafka-streams-version.properties")) {
                    put(STREAMS, version(zip, entry));
                } else if (name.equals("com/github/luben/zstd/Zstd.class")) {
                    put(ZSTD, UNKNOWN);
                } else if (name.equals("net/jpountz/lz4/LZ4Factory.class")) {
                    put(LZ4, UNKNOWN);
                }
            }
        } catch (ZipException e) {
            // Not an archive. The JVM ignores it too.
        }
    }

    private static String version(ZipFile zip, ZipEntry entry) throws IOException {
        Properties properties = new Properties();
        try (InputStream file = zip.getInputStream(entry)) {
            properties.load(file);
        }
        return properties.getProperty("version", UNKNOWN);
    }
}
