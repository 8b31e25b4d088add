package dev.blobshuffle.bench.paper;

import dev.blobshuffle.core.internal.resilience.ResilienceOptions;
import dev.blobshuffle.core.internal.write.options.BatchLayout;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.planner.PaperModel;
import java.time.Duration;

/**
 * A cluster of the paper's evaluation (section 5) under a load.
 *
 * @param layout how blobs are laid out
 * @param mebibytes the paper's target size of a batch, for each zone
 * @param partitions of the shuffle
 * @param instances a multiple of the zones
 * @param gibibytesPerSecond values that are shuffled, over all instances
 * @param size the scale at which it runs
 */
public record Deployment(
        Layout layout, double mebibytes, int partitions, int instances, double gibibytesPerSecond, Scale size) {
    /** Availability zones. */
    public static final int ZONES = 3;

    /** Bytes of a value; a key has {@link #KEY_BYTES} more. */
    public static final int VALUE_BYTES = 1024;

    /** The first bytes of the value, as in the paper. */
    public static final int KEY_BYTES = 8;

    /** Kafka Streams' default under at-least-once. */
    static final Duration COMMIT_INTERVAL = Duration.ofSeconds(30);

    private static final double MEBIBYTE = 1 << 20;
    private static final double GIBIBYTE = 1 << 30;
    private static final Duration NEVER = Duration.ofMinutes(30);
    private static final long BUFFER = 1L << 30;
    private static final int CHUNK = 4 << 10;

    /** Smaller ones have hardly a record for each partition. */
    private static final double LEAST_MEBIBYTES = 0.5;

    private static final double LEAST_CACHED = 16;
    private static final double CACHED_SECONDS = 3;

    /** One of the figures. */
    public Deployment(Layout layout, double mebibytes, int partitions, int instances, double gibibytesPerSecond) {
        this(layout, mebibytes, partitions, instances, gibibytesPerSecond, Scale.of(mebibytes));
    }

    /** Checks that each zone has as many instances, and each instance a partition. */
    public Deployment {
        if (!(mebibytes >= LEAST_MEBIBYTES) || instances < ZONES || instances % ZONES != 0 || partitions < instances) {
            throw new IllegalArgumentException("Cannot run " + instances + " instances with " + partitions
                    + " partitions and batches of " + mebibytes
                    + " MiB. Give a multiple of 3 instances, at least as many partitions, and " + LEAST_MEBIBYTES
                    + " MiB or more.");
        }
        if (!(gibibytesPerSecond > 0)) {
            throw new IllegalArgumentException(
                    "Cannot run at " + gibibytesPerSecond + " GiB per second. Give more than 0.");
        }
    }

    /** Seconds until a zone's batch has its size. */
    public double fillSeconds() {
        return PaperModel.fillSeconds(mebibytes * MEBIBYTE, ZONES, instances, gibibytesPerSecond * GIBIBYTE);
    }

    /** The size that blobs aim at, MiB. */
    public double targetMebibytes() {
        return mebibytes * layout.zones();
    }

    /** By how much sizes, loads and bandwidths are divided. */
    double scale() {
        return size.factor();
    }

    /** Bytes of a zone's batch, at the scale. */
    long scaledBatchBytes() {
        return (long) (mebibytes * MEBIBYTE / scale());
    }

    /**
     * Bytes of an instance's cache, at the scale. An instance caches three batches for each one
     * that a zone reads from it, and the paper's 4 GiB hold the blobs that are read within seconds.
     */
    long cacheBytes() {
        if (size.cacheBytes().isPresent()) {
            return size.cacheBytes().getAsLong();
        }
        double batches = Math.max(LEAST_CACHED, ZONES * CACHED_SECONDS / fillSeconds());
        return (long) (batches * scaledBatchBytes());
    }

    /** Records per second of an instance, at the scale. */
    double scaledRecordsPerSecond() {
        return gibibytesPerSecond * GIBIBYTE / VALUE_BYTES / instances / scale();
    }

    /** Settings of the writers, at the scale. */
    BatcherOptions batching() {
        boolean isOneBlob = layout == Layout.OURS;
        long bytes = scaledBatchBytes();
        return BatcherOptions.builder()
                .layout(layout == Layout.PAPER ? BatchLayout.PER_ZONE : BatchLayout.PACKED)
                .batchBytes(isOneBlob ? bytes * (ZONES + 1) : bytes)
                .delay(isOneBlob ? Duration.ofNanos((long) (fillSeconds() * 1e9)) : NEVER)
                .bufferBytes(BUFFER)
                .chunkBytes(CHUNK)
                .build();
    }

    /** Whether slow requests are sent twice. */
    ResilienceOptions resilience() {
        return new ResilienceOptions(
                ResilienceOptions.USUAL.requestTimeout(),
                layout.isHedged() ? ResilienceOptions.Hedging.ON : ResilienceOptions.Hedging.OFF);
    }

    /** The zone whose instances read a partition. */
    static int zoneOf(int partition) {
        return partition % ZONES;
    }

    /** The instance that reads a partition. */
    int readerOf(int partition) {
        int turn = partition / ZONES % (instances / ZONES);
        return zoneOf(partition) + ZONES * turn;
    }
}
