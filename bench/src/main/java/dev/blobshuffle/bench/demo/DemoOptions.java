package dev.blobshuffle.bench.demo;

import dev.blobshuffle.core.internal.membership.Endpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The user's choices, checked.
 *
 * @param zones number of zones, each with a broker
 * @param instances number of application instances, dealt out over the zones
 * @param guarantee {@code processing.guarantee}
 * @param blobs whether the blobs are deleted in the end
 * @param combining whether instances of a zone combine their blobs in a third run
 * @param metrics where the first instance that shuffles through blobs shows its metrics; the others
 *     take the ports that follow. Empty: nowhere
 */
record DemoOptions(
        int zones, int instances, String guarantee, Blobs blobs, Combining combining, Optional<Endpoint> metrics) {
    /** Whether there is a run with combining. */
    enum Combining {
        /** No. */
        LEFT_OUT,
        /** Yes, beside one without it and otherwise with the same settings. */
        COMPARED
    }

    /** Whether the blobs are deleted in the end. */
    enum Blobs {
        /** A sweep deletes all blobs, because no reader needs them any more. */
        DELETED,
        /** They stay, so that you can inspect them. */
        KEPT
    }

    private static final int MAX_ZONES = 5;
    private static final int MAX_INSTANCES = 24;
    private static final int MIN_PARTITIONS = 6;
    private static final int MOST_PORT = 65_535;

    /** Checks the numbers. */
    DemoOptions {
        if (zones < 1 || zones > MAX_ZONES) {
            throw new DemoFailedException(
                    "Cannot run the demo: --zones is " + zones + ". Give 1 to " + MAX_ZONES + ".");
        }
        if (instances < 1 || instances > MAX_INSTANCES) {
            throw new DemoFailedException(
                    "Cannot run the demo: --instances is " + instances + ". Give 1 to " + MAX_INSTANCES + ".");
        }
        metrics.ifPresent(first -> {
            if (first.port() < 1 || first.port() + instances > MOST_PORT) {
                throw new DemoFailedException("Cannot run the demo: --metrics-listen is " + first
                        + ", and each instance needs a port. Give a port from 1 to " + (MOST_PORT - instances)
                        + ", for example 127.0.0.1:9400.");
            }
        });
    }

    /**
     * The delay of batches. Commits that come more often than the delay end all batches, and then
     * instances that share blobs commit together.
     */
    Duration delay() {
        int usual = DemoSettings.COMMIT_INTERVAL_MS;
        return Duration.ofMillis(combining == Combining.COMPARED ? 2L * usual : usual);
    }

    /** Where an instance shows its metrics. */
    Optional<Endpoint> metrics(int instance) {
        return metrics.map(first -> new Endpoint(first.host(), first.port() + instance));
    }

    /** Replicas of each topic. */
    int replicationFactor() {
        return Math.min(3, zones);
    }

    /** Partitions of every topic: two or more for each instance. */
    int partitions() {
        return Math.max(MIN_PARTITIONS, 2 * instances);
    }

    /** The zones' names, which are also the brokers' racks. */
    List<String> zoneNames() {
        List<String> names = new ArrayList<>();
        for (int zone = 0; zone < zones; zone++) {
            names.add("zone-" + (char) ('a' + zone));
        }
        return names;
    }
}
