package dev.blobshuffle.kafkaembedded;

import java.util.Arrays;
import java.util.Optional;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * The brokers' side of the streams group protocol (KIP-1071): absent in Kafka 4.0, early access in 4.1, where it is off
 * until the cluster is formatted and the brokers are set for it, and on by default from 4.2.
 */
final class StreamsGroups {
    private static final String FEATURE = "streams.version";
    private static final short FIRST_VERSION = 1;

    private static final Optional<Feature> KNOWN = Arrays.stream(Feature.values())
            .filter(feature -> feature.featureName().equals(FEATURE))
            .findFirst();

    private StreamsGroups() {}

    /** Whether this Kafka version has them at all. */
    static boolean areKnown() {
        return KNOWN.isPresent();
    }

    /** Whether they have to be asked for. */
    static boolean areEarlyAccess() {
        return KNOWN.map(Feature::latestProduction)
                .filter(level -> level < FIRST_VERSION)
                .isPresent();
    }

    /** Makes the cluster that is formatted accept streams groups; everything else stays as released. */
    static void enable(Formatter formatter) {
        if (areEarlyAccess()) {
            formatter
                    .setReleaseVersion(MetadataVersion.latestProduction())
                    .setUnstableFeatureVersionsEnabled(true)
                    .setFeatureLevel(FEATURE, FIRST_VERSION);
        }
    }
}
