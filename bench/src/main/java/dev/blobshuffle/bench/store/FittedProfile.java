package dev.blobshuffle.bench.store;

import dev.blobshuffle.bench.store.RequestTimes.Sample;
import dev.blobshuffle.bench.store.TransferCell.Direction;
import dev.blobshuffle.planner.LatencyModel;
import dev.blobshuffle.planner.LatencyProfile;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * A latency profile from measured requests. Medians of the sizes give the time to the first byte
 * and the bandwidth, by least squares. The spread follows from p50 and p84, and the tail from the
 * part of p99 beyond it. Stateless.
 */
public final class FittedProfile {
    private static final double MEBIBYTE = 1 << 20;
    private static final double MILLIS = 1000;

    /** Standard deviations from the median to p84 and p99. */
    private static final double TO_P84 = 1;

    private static final double P84 = 0.8413;
    private static final double TO_P99 = 2.326;

    /** With this share of slow requests, p99 is at two thirds of these. */
    private static final double TAIL_SHARE = 0.03;

    private static final double TO_TWO_THIRDS = 0.43;
    private static final double TAIL_VARIANCE = 0.09;
    private static final double NO_TAIL = 1.2;

    private FittedProfile() {}

    /**
     * The profile.
     *
     * @throws IllegalArgumentException if an operation has fewer than two sizes
     */
    public static LatencyProfile of(RequestTimes times) {
        return new LatencyProfile(
                "measured", Optional.of(model(times, Direction.PUT)), Optional.of(model(times, Direction.GET)));
    }

    private static LatencyModel model(RequestTimes times, Direction operation) {
        List<Sample> samples = times.of(operation);
        if (samples.stream().map(Sample::bytes).distinct().count() < 2) {
            throw new IllegalArgumentException("Cannot fit a profile of " + operation + " requests: " + samples.size()
                    + " sizes do not show how times depend on size. Measure two or more.");
        }
        double meanSize = mean(samples, sample -> sample.bytes() / MEBIBYTE);
        double meanMedian = mean(samples, sample -> sample.quantile(0.5));
        double products = 0;
        double squares = 0;
        for (Sample sample : samples) {
            double size = sample.bytes() / MEBIBYTE - meanSize;
            products += size * (sample.quantile(0.5) - meanMedian);
            squares += size * size;
        }
        double perMebibyte = Math.max(0, products / squares);
        double base = Math.max(0, meanMedian - perMebibyte * meanSize);
        double spread = mean(samples, sample -> Math.log(ratio(sample, P84)) / TO_P84);
        double slowest = mean(samples, sample -> ratio(sample, 0.99));
        double factor = slowest / Math.exp(TO_TWO_THIRDS * Math.sqrt(spread * spread + TAIL_VARIANCE));
        boolean hasTail = slowest > NO_TAIL * Math.exp(TO_P99 * spread) && factor > 1;
        double bandwidth = perMebibyte > 0 ? MILLIS / perMebibyte : Double.POSITIVE_INFINITY;
        return new LatencyModel(base, spread, bandwidth, spread, hasTail ? TAIL_SHARE : 0, hasTail ? factor : 1);
    }

    private static double ratio(Sample sample, double share) {
        return Math.max(1, sample.quantile(share) / Math.max(1e-6, sample.quantile(0.5)));
    }

    private static double mean(List<Sample> samples, ToDoubleFunction<Sample> number) {
        return samples.stream().mapToDouble(number).average().orElse(0);
    }
}
