package dev.blobshuffle.kafkaembedded;

import java.net.URL;
import java.security.CodeSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * The jars of Kafka that this JVM uses. A broker needs all of one version. A build that manages
 * only some of them, such as one with the BOM of a framework, mixes them, and the broker fails with
 * a linkage error that names neither.
 */
final class KafkaJars {
    private static final Pattern NAME = Pattern.compile("(kafka[a-z-]*|kafka_[0-9.]+)-(\\d+\\.\\d+\\.\\d+[^/]*)\\.jar");

    private KafkaJars() {}

    /**
     * Performs the start of a broker.
     *
     * @throws IllegalStateException the start failed, and the jars of Kafka have several versions
     */
    static <T> T start(Supplier<T> start) {
        try {
            return start.get();
        } catch (RuntimeException | LinkageError e) {
            Optional<String> mixed = mixed(used());
            if (mixed.isPresent()) {
                throw new IllegalStateException(mixed.get(), e);
            }
            throw e;
        }
    }

    /**
     * The message if the jars have several versions.
     *
     * @param files names of jars; others than those of Kafka are ignored
     */
    static Optional<String> mixed(Stream<String> files) {
        Map<String, String> versions = new TreeMap<>();
        files.map(NAME::matcher).filter(Matcher::matches).forEach(jar -> versions.put(jar.group(1), jar.group(2)));
        if (new TreeSet<>(versions.values()).size() < 2) {
            return Optional.empty();
        }
        return Optional.of("Cannot start a broker: the class path mixes versions of Kafka, "
                + versions.entrySet().stream()
                        .map(jar -> jar.getKey() + " " + jar.getValue())
                        .collect(Collectors.joining(", "))
                + ". Give all artifacts of org.apache.kafka one version, kafka_2.13 among them.");
    }

    private static Stream<String> used() {
        return Stream.of(Admin.class, KafkaConfig.class, Formatter.class, MetadataVersion.class)
                .map(type -> type.getProtectionDomain().getCodeSource())
                .flatMap(Stream::ofNullable)
                .map(CodeSource::getLocation)
                .flatMap(Stream::ofNullable)
                .map(URL::getPath)
                .map(path -> path.substring(path.lastIndexOf('/') + 1));
    }
}
