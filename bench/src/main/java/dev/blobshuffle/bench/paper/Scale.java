package dev.blobshuffle.bench.paper;

import java.util.OptionalLong;

/**
 * At what size a cluster runs. Sizes, loads and bandwidths are divided by a factor; record sizes
 * are not.
 *
 * @param factor 1 or more
 * @param chance the share of records whose zone is drawn at random, the others go to the zones in
 *     turn. A batch ends with its fullest zone, and fewer records vary more, so one by the factor
 *     keeps blobs as full as at full size
 * @param cacheBytes of an instance; empty: in proportion to its load
 */
public record Scale(double factor, double chance, OptionalLong cacheBytes) {
    /** So that what small batches need at once fits into memory. */
    private static final double LEAST = 4;

    /** Checks both. */
    public Scale {
        if (!(factor >= 1) || !(chance >= 0 && chance <= 1)) {
            throw new IllegalArgumentException("Cannot run at a scale of " + factor + " with a share by chance of "
                    + chance + ". Give a factor of 1 or more, and a share of 0 to 1.");
        }
    }

    /** That of the figures: a batch of a zone has at most 1 MiB. */
    static Scale of(double mebibytes) {
        double factor = Math.max(LEAST, mebibytes);
        return new Scale(factor, 1 / factor, OptionalLong.empty());
    }

    /** That of a real run, where keys are random, and its cache. */
    static Scale ofRealRun(double factor, long cacheBytes) {
        return new Scale(factor, 1, OptionalLong.of(cacheBytes));
    }
}
