package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.version.HttpPair;
import dev.blobshuffle.core.internal.version.Supported;
import dev.blobshuffle.core.internal.version.Versions;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares the versions of the libraries on an application's class path with each other and with
 * the table of {@link Versions}. Stateless.
 */
final class ClassPathAdvice {
    static final String AREA = "class path";

    /** The libraries of the log. An application may use any version of them itself. */
    private static final Set<String> OF_THE_LOG = Set.of("postgresql", "HikariCP");

    private static final String LOG = ClassPathJars.OWN + "postgresql";

    private ClassPathAdvice() {}

    /** The findings about a class path. */
    static List<Finding> of(String classPath) {
        Map<String, Set<String>> versions;
        try {
            versions = ClassPathJars.versions(classPath);
        } catch (IOException | InvalidPathException e) {
            return List.of(Finding.error(
                    AREA, "jars", "cannot read the class path: " + e, "Give --class-path as java -cp has it."));
        } catch (InvalidSettingsException e) {
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
        addLibraries(versions, findings);
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

    /** Reports libraries of stores and frameworks that are too old, or newer than those tested. */
    private static void addLibraries(Map<String, Set<String>> versions, List<Finding> findings) {
        for (Supported library : Versions.table()) {
            String jar = library.jar().orElse("");
            boolean isUsed = !OF_THE_LOG.contains(jar) || versions.containsKey(LOG);
            if (jar.equals(ClassPathJars.CLIENTS) || !isUsed) {
                continue;
            }
            for (String version : versions.getOrDefault(jar, Set.of())) {
                findings.add(
                        library.isTooOld(version)
                                ? Finding.error(
                                        AREA,
                                        jar,
                                        library.refusal(version),
                                        "Set its version in your build, for example to " + library.newest() + ".")
                                : library.isUntested(version)
                                        ? Finding.of(
                                                AREA,
                                                StoreFinding.hint(
                                                        jar,
                                                        jar + " " + version + " is newer than " + library.newest()
                                                                + ", the newest that was tested",
                                                        "Rehearse in staging."))
                                        : Finding.ok(AREA, jar, jar + " " + version + " is in the tested range"));
            }
        }
        for (String client : versions.getOrDefault(HttpPair.CLIENT, Set.of())) {
            for (String core : versions.getOrDefault(ClassPathJars.HTTP_CORE, Set.of())) {
                HttpPair.problem(client, core)
                        .ifPresent(problem ->
                                findings.add(Finding.error(AREA, ClassPathJars.HTTP_CORE, problem, HttpPair.REMEDY)));
            }
        }
    }

    private static Finding own(Map<String, Set<String>> versions) {
        Set<String> own = new TreeSet<>();
        versions.forEach((jar, found) -> own.addAll(jar.startsWith("blobshuffle-") ? found : Set.of()));
        if (own.isEmpty()) {
            return Finding.error(
                    AREA,
                    "blobshuffle",
                    "there is no jar of BlobShuffle",
                    "Add blobshuffle-kafka or blobshuffle-kstreams.");
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
        boolean hasLz4 = versions.keySet().stream().anyMatch(jar -> jar.equals(ClassPathJars.LZ4));
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
}
