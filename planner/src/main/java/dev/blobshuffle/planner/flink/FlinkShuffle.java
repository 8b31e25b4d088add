package dev.blobshuffle.planner.flink;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.time.Duration;

/**
 * One {@code keyBy} of a streaming job of Flink.
 *
 * @param bytesPerSecond serialized records that enter it
 * @param cluster where its subtasks run
 * @param batching how records become blobs
 */
public record FlinkShuffle(double bytesPerSecond, Cluster cluster, Batching batching) {
    /** Checks that there is something to shuffle. */
    public FlinkShuffle {
        if (!(bytesPerSecond > 0 && Double.isFinite(bytesPerSecond))) {
            throw refused("throughput", bytesPerSecond);
        }
    }

    /**
     * The TaskManagers of the job.
     *
     * @param zones availability zones with the same number of TaskManagers each
     * @param taskManagers how many, all with subtasks before the shuffle
     * @param parallelism subtasks before the shuffle, and as many behind it
     * @param maxParallelism the number of key groups
     */
    public record Cluster(long zones, long taskManagers, long parallelism, long maxParallelism) {
        /** Checks that there is at least one of each, and a key group for each subtask. */
        public Cluster {
            requirePositive(zones, "zones");
            requirePositive(taskManagers, "task-managers");
            requirePositive(parallelism, "parallelism");
            requirePositive(maxParallelism, "max-parallelism");
            if (maxParallelism < parallelism) {
                throw new InvalidSettingsException(
                        "Cannot plan a shuffle of Flink: --max-parallelism is " + maxParallelism
                                + ", below --parallelism " + parallelism + ". Each subtask needs a key group.");
            }
        }
    }

    /**
     * How records become blobs.
     *
     * @param maxBytes {@code blobshuffle.batch.max.bytes}
     * @param maxDelay {@code blobshuffle.batch.max.delay.ms}
     * @param kept how long a blob is kept
     * @param cpuSecondsPerGib what a GiB through blobs takes of processors beyond Flink's exchange
     */
    public record Batching(double maxBytes, Duration maxDelay, Duration kept, double cpuSecondsPerGib) {
        /** Checks that batches have a size and a delay. */
        public Batching {
            if (!(maxBytes >= 1 && Double.isFinite(maxBytes))) {
                throw refused("batch-size", maxBytes);
            }
            if (maxDelay.isNegative() || maxDelay.isZero()) {
                throw refused("delay", maxDelay);
            }
            if (kept.isNegative()) {
                throw refused("retention", kept);
            }
            if (!(cpuSecondsPerGib >= 0 && Double.isFinite(cpuSecondsPerGib))) {
                throw refused("cpu-per-gib", cpuSecondsPerGib);
            }
        }
    }

    /** Share of the readers that are in another zone than the sender. */
    double awayShare() {
        return (cluster.zones - 1.0) / cluster.zones;
    }

    /** Bytes that leave their zone. */
    double awayBytesPerSecond() {
        return bytesPerSecond * awayShare();
    }

    /** Bytes of a blob: what the subtasks of a TaskManager collect together. */
    public double blobBytes() {
        double inDelay = awayBytesPerSecond() / cluster.taskManagers * batching.maxDelay.toMillis() / 1e3;
        return Math.min(batching.maxBytes, inDelay);
    }

    /** Segments of a blob: one for each sender and key group in another zone. */
    double segments() {
        double senders = Math.max(1.0, (double) cluster.parallelism / cluster.taskManagers);
        return senders * cluster.maxParallelism * awayShare();
    }

    /** Subtasks in other zones, each of which reads its key groups of a blob. */
    double readers() {
        return cluster.parallelism * awayShare();
    }

    private static void requirePositive(long value, String name) {
        if (value < 1 || value > 1_000_000) {
            throw refused(name, value);
        }
    }

    private static InvalidSettingsException refused(String name, Object value) {
        return new InvalidSettingsException("Cannot plan a shuffle of Flink: --" + name + " is " + value
                + ". Give a number from 1 to 1,000,000, or a size, rate or time above 0.");
    }
}
