package dev.blobshuffle.cli.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * What the user chose, checked.
 *
 * @param zones number of zones, each with a broker
 * @param instances number of application instances, dealt out over the zones
 * @param guarantee {@code processing.guarantee}
 */
record DemoOptions(int zones, int instances, String guarantee) {
    private static final int MAX_ZONES = 5;
    private static final int MAX_INSTANCES = 12;
    private static final int MIN_PARTITIONS = 6;

    /** Checks the numbers. */
    DemoOptions {
        if (zones < 1 || zones > MAX_ZONES) {
            throw new DemoFailed("Cannot run the demo: --zones is " + zones + ". Give 1 to " + MAX_ZONES + ".");
        }
        if (instances < 1 || instances > MAX_INSTANCES) {
            throw new DemoFailed(
                    "Cannot run the demo: --instances is " + instances + ". Give 1 to " + MAX_INSTANCES + ".");
        }
    }

    /** Copies in which topics are kept. */
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
