package dev.blobshuffle.planner;

/**
 * The analytical model of the BlobShuffle paper, section 4, as printed: steady and even load, a
 * blob per destination zone and instance, full blobs, no commits, notifications free.
 * {@link ShuffleModel} adds what it leaves out. Tests check golden values against this model.
 * Stateless.
 */
public final class PaperModel {
    private PaperModel() {}

    /**
     * Seconds to fill a batch, section 4.2: {@code S Z N / (λ s)}.
     *
     * @param blobBytes size of a batch, S
     * @param zones Z
     * @param instances N
     * @param bytesPerSecond λ s, over all instances
     */
    public static double fillSeconds(double blobBytes, int zones, int instances, double bytesPerSecond) {
        return blobBytes * zones * instances / bytesPerSecond;
    }

    /** Puts per second, section 4.2: {@code λ s / S}. */
    public static double putsPerSecond(double blobBytes, double bytesPerSecond) {
        return bytesPerSecond / blobBytes;
    }

    /**
     * Gets per second, section 4.2: {@code λ s / S · (Z-1)/Z}, since a zone reads its own blobs
     * from its cache and others' once.
     */
    public static double getsPerSecond(double blobBytes, int zones, double bytesPerSecond) {
        return putsPerSecond(blobBytes, bytesPerSecond) * (zones - 1) / zones;
    }

    /**
     * An upper bound of the shuffle latency, section 4.3: fill, put and get in sequence, seconds.
     */
    public static double latencyBound(double fillSeconds, double putSeconds, double getSeconds) {
        return fillSeconds + putSeconds + getSeconds;
    }
}
