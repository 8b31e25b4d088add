package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Compares the versions of the jars on an application's class path by their names. It does not open
 * them, so a jar that holds others (a fat jar) tells nothing. Stateless.
 */
final class ClassPathAdvice {
    static final String AREA = "class path";
    private static final Pattern JAR = Pattern.compile(
            "(blobshuffle-[a-z0-9-]+?|kafka-clients|kafka-streams|zstd-jni|(?:at-yawk-)?lz4-java)-([0-9][^/]*?)\\.jar");

    private ClassPathAdvice() {}

    /** What the versions mean. */
    static List<Finding> of(String classPath) {
        Map<String, Set<String>> versions;
        try {
            versions = versions(classPath);
        } catch (IOException | InvalidPathException e) {
            return List.of(Finding.error(
                    AREA, "jars", "cannot read the class path: " + e, "Give --class-path as java -cp has it."));
        } catch (InvalidSettings e) {
            return List.of(Finding.failed(AREA, "jars", e));
        }
        List<Finding> findings = new ArrayList<>();
        versions.forEach((jar, found) -> {
            if (found.size() > 1) {
                findings.add(Finding.error(
                        AREA, jar, "there are versions " + found, "Keep one of them: the JVM takes the first."));
            }
        });
        Set<String> kafka = versions.getOrDefault("kafka-clients", Set.of());
        kafka.forEach(version -> findings.add(clients(version)));
        Set<String> streams = versions.getOrDefault("kafka-streams", kafka);
        if (!streams.equals(kafka)) {
            findings.add(Finding.of(
                    AREA,
                    StoreFinding.warning(
                            "kafka-streams",
                            "kafka-streams is " + streams + " and kafka-clients " + kafka,
                            "Use the same version of both.")));
        }
        findings.add(own(versions));
        findings.add(codecs(versions));
        return findings;
    }

    private static Finding clients(String version) {
        if (KafkaVersion.isOlder(version, KafkaVersion.OLDEST)) {
            return Finding.error(
                    AREA,
                    "kafka-clients",
                    "kafka-clients " + version + " is older than " + KafkaVersion.OLDEST
                            + ", so clients refuse to start",
                    "Set kafka-clients and kafka-streams to " + KafkaVersion.OLDEST + " or newer.");
        }
        return KafkaVersion.isOlder(KafkaVersion.NEWEST, version)
                ? Finding.of(
                        AREA,
                        StoreFinding.hint(
                                "kafka-clients",
                                "kafka-clients " + version + " is newer than " + KafkaVersion.NEWEST
                                        + ", the newest that was tested",
                                "Rehearse in staging."))
                : Finding.ok(AREA, "kafka-clients", "kafka-clients " + version + " is in the tested range");
    }

    private static Finding own(Map<String, Set<String>> versions) {
        Set<String> own = new TreeSet<>();
        versions.forEach((jar, found) -> own.addAll(jar.startsWith("blobshuffle-") ? found : Set.of()));
        if (own.isEmpty()) {
            return Finding.error(
                    AREA,
                    "blobshuffle",
                    "there is no jar of BlobShuffle",
                    "Add blobshuffle-kafka or blobshuffle-kstreams. In a fat jar, names of jars are lost.");
        }
        return own.size() == 1
                ? Finding.ok(
                        AREA,
                        "blobshuffle",
                        "all jars of BlobShuffle have version " + own.iterator().next())
                : Finding.error(
                        AREA,
                        "blobshuffle",
                        "jars of BlobShuffle have versions " + own,
                        "Use one version of all of them.");
    }

    private static Finding codecs(Map<String, Set<String>> versions) {
        boolean hasZstd = versions.containsKey("zstd-jni");
        boolean hasLz4 = versions.keySet().stream().anyMatch(jar -> jar.endsWith("lz4-java"));
        if (hasZstd && hasLz4) {
            return Finding.ok(AREA, "codecs", "zstd and lz4 are there");
        }
        String missing = hasZstd ? "lz4-java" : hasLz4 ? "zstd-jni" : "zstd-jni and lz4-java";
        return Finding.of(
                AREA,
                StoreFinding.hint(
                        "codecs",
                        missing + " is missing, so blobs with that codec can be neither read nor written",
                        "Do not exclude it from kafka-clients, if any writer compresses with it."));
    }

    private static Map<String, Set<String>> versions(String classPath) throws IOException {
        Map<String, Set<String>> versions = new TreeMap<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            String name = entry.endsWith("*") ? entry.substring(0, entry.length() - 1) : entry;
            Path path = Path.of(name);
            if (Files.isDirectory(path)) {
                try (Stream<Path> files = Files.list(path)) {
                    files.forEach(file -> add(file, versions));
                }
            } else {
                add(path, versions);
            }
        }
        if (versions.isEmpty()) {
            throw new InvalidSettings("No jar of Kafka or BlobShuffle is in " + classPath
                    + ". Give the class path as java -cp has it, or the directory of the jars.");
        }
        return versions;
    }

    private static void add(Path file, Map<String, Set<String>> versions) {
        Path name = file.getFileName();
        Matcher matcher = JAR.matcher(name == null ? "" : name.toString());
        if (matcher.matches()
                && !matcher.group(2).endsWith("-sources")
                && !matcher.group(2).endsWith("-tests")) {
            versions.computeIfAbsent(matcher.group(1), any -> new TreeSet<>()).add(matcher.group(2));
        }
    }
}
