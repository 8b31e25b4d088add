package dev.blobshuffle.kafkaembedded;

import java.util.Arrays;
import java.util.Optional;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * The brokers' side of the streams group protocol (KIP-1071): absent before Kafka 4.1, early access
 * in 4.1, where it is off until the cluster is formatted and the brokers are set for it, and on by
 * default from 4.2.
 */
final class StreamsGroups {
    private static final String FEATURE = "streams.version";
    private static final short FIRST_VERSION = 1;

    /** Kafka 3.9 does not have the class that {@link Known} asks. */
    private static final boolean HAS_FEATURES =
            StreamsGroups.class.getResource("/org/apache/kafka/server/common/Feature.class") != null;

    private StreamsGroups() {}

    /** Whether this Kafka version has them at all. */
    static boolean areKnown() {
        return HAS_FEATURES && Known.FEATURE_LEVELS.isPresent();
    }

    /** Whether they have to be asked for. */
    static boolean areEarlyAccess() {
        return HAS_FEATURES
                && Known.FEATURE_LEVELS
                        .map(Feature::latestProduction)
                        .filter(level -> level < FIRST_VERSION)
                        .isPresent();
    }

    /** The feature, loaded only where Kafka has features. */
    private static final class Known {
        static final Optional<Feature> FEATURE_LEVELS = Arrays.stream(Feature.values())
                .filter(feature -> feature.featureName().equals(FEATURE))
                .findFirst();
    }

    /**
     * Makes the cluster that is formatted accept streams groups; everything else stays as released.
     */
    static void enable(Formatter formatter) {
        if (areEarlyAccess()) {
            formatter
                    .setReleaseVersion(MetadataVersion.latestProduction())
                    .setUnstableFeatureVersionsEnabled(true)
                    .setFeatureLevel(FEATURE, FIRST_VERSION);
        }
    }
}
