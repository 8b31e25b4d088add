package dev.blobshuffle.planner.spark;

import dev.blobshuffle.core.failure.InvalidSettingsException;

/**
 * One shuffle of a Spark application.
 *
 * @param maps tasks that write it
 * @param reducers tasks that read it, one partition each
 * @param bytes what the maps write, compressed as it is stored and sent
 * @param cluster where the tasks run
 */
public record SparkShuffle(long maps, long reducers, double bytes, Cluster cluster) {
    /** Checks that there is something to shuffle. */
    public SparkShuffle {
        requirePositive(maps, "maps");
        requirePositive(reducers, "reducers");
        if (!(bytes > 0 && Double.isFinite(bytes))) {
            throw refused("size", bytes);
        }
    }

    /**
     * The executors of the application.
     *
     * @param executors how many
     * @param cores tasks that an executor runs at a time
     * @param zones availability zones with the same number of executors each
     */
    public record Cluster(long executors, long cores, long zones) {
        /** Checks that there is at least one of each. */
        public Cluster {
            requirePositive(executors, "executors");
            requirePositive(cores, "cores");
            requirePositive(zones, "zones");
        }
    }

    /** Bytes of one map. */
    double mapBytes() {
        return bytes / maps;
    }

    /** Maps whose outputs one executor has. */
    long mapsPerExecutor() {
        return ceil(maps, cluster.executors);
    }

    /** Share of the readers that are in another zone than the writer. */
    double awayShare() {
        return (cluster.zones - 1.0) / cluster.zones;
    }

    static long ceil(long dividend, long divisor) {
        return (dividend + divisor - 1) / divisor;
    }

    private static void requirePositive(long value, String name) {
        if (value < 1 || value > 1_000_000_000) {
            throw refused(name, value);
        }
    }

    private static InvalidSettingsException refused(String name, Object value) {
        return new InvalidSettingsException("Cannot plan a shuffle of Spark: --" + name + " is " + value
                + ". Give a number from 1 to 1,000,000,000, or a size above 0.");
    }
}
