package dev.blobshuffle.bench.paper;

import java.util.OptionalLong;

/**
 * The scale at which a cluster runs. It divides sizes, loads and bandwidths by a factor, but not
 * record sizes.
 *
 * @param factor 1 or more
 * @param chance the share of records whose zone is drawn at random; the others go to the zones in
 *     turn. A batch ends with its fullest zone, and fewer records vary more. So a share of 1
 *     divided by the factor keeps blobs as full as at full size
 * @param cacheBytes of an instance; empty: in proportion to its load
 */
public record Scale(double factor, double chance, OptionalLong cacheBytes) {
    /** The least factor, so that small batches fit into memory. */
    private static final double LEAST = 4;

    /** Checks both. */
    public Scale {
        if (!(factor >= 1) || !(chance >= 0 && chance <= 1)) {
            throw new IllegalArgumentException("Cannot run at a scale of " + factor + " with a share by chance of "
                    + chance + ". Give a factor of 1 or more, and a share of 0 to 1.");
        }
    }

    /** The scale of the figures: a batch of a zone has at most 1 MiB. */
    static Scale of(double mebibytes) {
        double factor = Math.max(LEAST, mebibytes);
        return new Scale(factor, 1 / factor, OptionalLong.empty());
    }

    /** The scale of a real run, where keys are random, with its cache. */
    static Scale ofRealRun(double factor, long cacheBytes) {
        return new Scale(factor, 1, OptionalLong.of(cacheBytes));
    }
}
