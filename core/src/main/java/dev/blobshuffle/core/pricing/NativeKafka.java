package dev.blobshuffle.core.pricing;

/**
 * What a shuffle through a native repartition topic costs: every byte crosses zones on its way to the leader, to each follower, and, unless consumers fetch from a
 * replica in their own zone, back. Traffic only, as in the BlobShuffle paper, section 5.3: brokers, their disks and their processors are not charged. Stateless.
 */
public final class NativeKafka {
    private static final double SECONDS_PER_HOUR = 3600;

    private NativeKafka() {}

    /**
     * How often a byte crosses from one zone to another: {@code (Z-1)/Z} to the leader, {@code RF-1} to the followers, each in a zone of its own, and
     * {@code (Z-1)/Z} for each consumer group that reads from leaders.
     *
     * @param zones number of zones, Z; clients and leaders are spread evenly
     * @param replicationFactor replicas, RF; at most Z of them are in zones of their own
     * @param groupsAcross consumer groups that do not fetch from the closest replica ({@code client.rack}); with one replica all do not
     */
    public static double crossings(int zones, int replicationFactor, int groupsAcross) {
        double away = (zones - 1.0) / zones;
        return away + (Math.min(replicationFactor, zones) - 1) + groupsAcross * away;
    }

    /** Dollars per hour for a flow of bytes through a native topic: {@link #crossings} by the price of one. */
    public static double usdPerHour(
            double bytesPerSecond, PriceTable prices, int zones, int replicationFactor, int groupsAcross) {
        PriceTable.Traffic traffic = prices.traffic();
        return SECONDS_PER_HOUR
                * crossings(zones, replicationFactor, groupsAcross)
                * traffic.of(bytesPerSecond, traffic.crossing());
    }
}
