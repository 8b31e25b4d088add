package dev.blobshuffle.core.internal.pricing;

/**
 * The cost of a shuffle through a native repartition topic. Every byte crosses zones on its way to
 * the leader and to each follower. It also crosses them on its way to consumers, unless these fetch
 * from a replica in their zone. The cost covers traffic only, as in the BlobShuffle paper, section
 * 5.3; brokers, disks and processors are not included. Stateless.
 */
public final class NativeKafka {
    private static final double SECONDS_PER_HOUR = 3600;

    private NativeKafka() {}

    /**
     * The number of times that a byte crosses zones: {@code (Z-1)/Z} to the leader, {@code RF-1} to
     * the followers, each in its own zone, and {@code (Z-1)/Z} for each consumer group that reads
     * from leaders.
     *
     * @param zones number of zones, Z; clients and leaders are spread evenly
     * @param replicationFactor replicas, RF; at most Z of them are in separate zones
     * @param groupsAcross consumer groups that do not fetch from the closest replica
     *     ({@code client.rack}); with one replica, all groups
     */
    public static double crossings(int zones, int replicationFactor, int groupsAcross) {
        double away = (zones - 1.0) / zones;
        return away + (Math.min(replicationFactor, zones) - 1) + groupsAcross * away;
    }

    /**
     * Dollars per hour for a flow of bytes through a native topic: {@link #crossings} times the
     * price of a crossing.
     */
    public static double usdPerHour(
            double bytesPerSecond, PriceTable prices, int zones, int replicationFactor, int groupsAcross) {
        PriceTable.Traffic traffic = prices.traffic();
        return SECONDS_PER_HOUR
                * crossings(zones, replicationFactor, groupsAcross)
                * traffic.of(bytesPerSecond, traffic.crossing());
    }
}
