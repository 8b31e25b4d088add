package dev.blobshuffle.cli.bench;

/**
 * What one run of {@code bench peer} does.
 *
 * @param tier where the server has the bytes
 * @param transport how they travel
 * @param rangeBytes length of each read
 * @param readers reads at a time
 * @param bytes measured, in all
 * @param warmUpBytes before that
 */
record ServingPlan(Tier tier, Transport transport, int rangeBytes, int readers, long bytes, long warmUpBytes) {
    /** Where a server has bytes. */
    enum Tier {
        MEMORY,
        DISK
    }

    /** How bytes travel. */
    enum Transport {
        PLAIN,
        TLS
    }

    String name() {
        return (tier + " " + transport).toLowerCase(java.util.Locale.ROOT);
    }
}
