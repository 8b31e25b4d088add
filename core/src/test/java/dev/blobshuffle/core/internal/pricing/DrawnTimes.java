package dev.blobshuffle.core.internal.pricing;

import java.util.random.RandomGenerator;

/**
 * Random times of puts, similar to those of S3: a time to the first byte and a bandwidth, both
 * log-normal, and a tail.
 *
 * @param baseSeconds median time to the first byte
 * @param perMebibyte median seconds that each MiB adds
 * @param spread the spread of both
 * @param tailShare share of requests that take 2.5 times as long
 */
record DrawnTimes(double baseSeconds, double perMebibyte, double spread, double tailShare) {
    private static final double MEBIBYTE = 1 << 20;

    /** Puts of S3 as in the BlobShuffle paper, section 5. */
    static final DrawnTimes PAPER = new DrawnTimes(0.12, 1 / 37.5, 0.39, 0.03);

    double seconds(double bytes, RandomGenerator random) {
        double base = baseSeconds * Math.exp(spread * random.nextGaussian());
        double transfer = perMebibyte * bytes / MEBIBYTE * Math.exp(spread * random.nextGaussian());
        return (base + transfer) * (random.nextDouble() < tailShare ? 2.5 : 1);
    }
}
