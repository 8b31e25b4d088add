package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The release of the Kafka clients on the class path. The code is compiled against the newest
 * release. A flag of this class guards each call of a method that an older release lacks.
 * Stateless.
 */
public final class KafkaVersion {
    /** The oldest release that works. */
    public static final String OLDEST = "3.9";

    /** The newest release that the tests run with. */
    public static final String NEWEST = "4.4";

    /** Whether {@code ConsumerRecords} has the next offset of each partition: since 4.0. */
    public static final boolean HAS_NEXT_OFFSETS = Arrays.stream(ConsumerRecords.class.getMethods())
            .anyMatch(method -> method.getName().equals("nextOffsets"));

    private static final Logger LOG = LoggerFactory.getLogger(KafkaVersion.class);
    private static final String PRESENT = read();
    private static final Pattern RELEASE = Pattern.compile("(\\d+)\\.(\\d+)\\b.*");

    private KafkaVersion() {}

    /**
     * The release of the clients, for example {@code 4.3.1}, or {@code unknown} if a build has
     * repackaged the clients without their version file. Kafka's own reader of the file is in
     * another package since 4.4.
     */
    public static String present() {
        return PRESENT;
    }

    /**
     * Rejects Kafka clients that are too old, before a poll fails at a method that they lack.
     *
     * @throws InvalidSettingsException fatal: the message names both versions and the remedy
     */
    public static void requireSupported() {
        requireSupported(present());
    }

    /** As {@link #requireSupported()}, for a given release. Accepts versions of an unknown form. */
    static void requireSupported(String version) {
        if (isOlder(version, OLDEST)) {
            throw new InvalidSettingsException("Cannot run with kafka-clients " + version + ": BlobShuffle needs "
                    + OLDEST
                    + " or newer, up to " + NEWEST + ". Set the version of kafka-clients and kafka-streams to " + OLDEST
                    + ".x or newer in your build; with Spring Boot's parent that is the property kafka.version.");
        }
    }

    /** Whether a release is older than another; false if one has an unknown form. */
    public static boolean isOlder(String version, String oldest) {
        Matcher one = RELEASE.matcher(version);
        Matcher other = RELEASE.matcher(oldest);
        if (!one.matches() || !other.matches()) {
            return false;
        }
        int major = Integer.compare(number(one, 1), number(other, 1));
        return major < 0 || major == 0 && number(one, 2) < number(other, 2);
    }

    private static String read() {
        Properties properties = new Properties();
        try (InputStream file = ConsumerRecords.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            if (file != null) {
                properties.load(file);
            }
        } catch (IOException e) {
            LOG.debug("Cannot read the version of kafka-clients.", e);
        }
        return properties.getProperty("version", "unknown").strip();
    }

    private static int number(Matcher release, int group) {
        return Integer.parseInt(release.group(group));
    }
}
