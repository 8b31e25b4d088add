package dev.blobshuffle.bench.paper;

/**
 * The loads under which the paper measured latencies: the GiB per second that its application
 * carried. If its text has no number, the load is interpolated. Stateless.
 */
final class PaperLoad {
    /**
     * 24 instances, 216 partitions, 16 MiB. The total of 4.46 USD per hour less the requests of
     * full blobs leaves 3.06 for 12 nodes, so they carried this much.
     */
    static final double USUAL = 1.367;

    /** The same with 32 MiB (section 5.3). */
    static final double PEAK = 1.43;

    private static final double USUAL_PARTITIONS = 216;

    /** Three times the partitions have 26 % less throughput (section 5.4). */
    private static final double EXPONENT = Math.log(1 - 0.26) / Math.log(3);

    private static final double MEBIBYTES_PER_GIBIBYTE = 1024;
    private static final double FEW_NODES = 3;
    private static final double FEW_NODES_LOAD = 0.37;
    private static final double BEST_NODES = 6;
    private static final double MOST_NODES = 24;
    private static final double BEST_PER_NODE = 144.2;
    private static final double LEAST_PER_NODE = 102.0;

    private PaperLoad() {}

    /** The load with 24 instances. */
    static double byPartitions(int partitions) {
        return USUAL * Math.pow(partitions / USUAL_PARTITIONS, EXPONENT);
    }

    /**
     * The load with six partitions for each instance: section 5.5 for 3, 6 and 24 nodes, and a
     * straight line between the last two. Its dips at 9 and 18 nodes come from the brokers, and
     * have no numbers.
     */
    static double byInstances(int instances) {
        double nodes = PublishedNumber.nodes(instances);
        if (nodes <= FEW_NODES) {
            return FEW_NODES_LOAD;
        }
        double share = (nodes - BEST_NODES) / (MOST_NODES - BEST_NODES);
        return nodes * (BEST_PER_NODE + share * (LEAST_PER_NODE - BEST_PER_NODE)) / MEBIBYTES_PER_GIBIBYTE;
    }
}
