package dev.blobshuffle.kafkaembedded;

import java.util.Arrays;
import java.util.Optional;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * The broker side of the streams group protocol (KIP-1071). Kafka before 4.1 does not have it. In
 * 4.1 it is in early access: off until it is enabled in the cluster's format and in the broker
 * settings. From 4.2 it is on by default.
 */
final class StreamsGroups {
    private static final String FEATURE = "streams.version";
    private static final short FIRST_VERSION = 1;

    /** Whether Kafka has the class that {@link Known} uses. Kafka 3.9 does not. */
    private static final boolean HAS_FEATURES =
            StreamsGroups.class.getResource("/org/apache/kafka/server/common/Feature.class") != null;

    private StreamsGroups() {}

    /** Whether this Kafka version supports streams groups. */
    static boolean areKnown() {
        return HAS_FEATURES && Known.FEATURE_LEVELS.isPresent();
    }

    /** Whether streams groups must be enabled. */
    static boolean areEarlyAccess() {
        return HAS_FEATURES
                && Known.FEATURE_LEVELS
                        .map(Feature::latestProduction)
                        .filter(level -> level < FIRST_VERSION)
                        .isPresent();
    }

    /** The feature. This class is loaded only if Kafka has features. */
    private static final class Known {
        static final Optional<Feature> FEATURE_LEVELS = Arrays.stream(Feature.values())
                .filter(feature -> feature.featureName().equals(FEATURE))
                .findFirst();
    }

    /** Enables streams groups in the format of a cluster; other features stay at their defaults. */
    static void enable(Formatter formatter) {
        if (areEarlyAccess()) {
            formatter
                    .setReleaseVersion(MetadataVersion.latestProduction())
                    .setUnstableFeatureVersionsEnabled(true)
                    .setFeatureLevel(FEATURE, FIRST_VERSION);
        }
    }
}
