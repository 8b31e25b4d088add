package dev.blobshuffle.core.pricing;

/**
 * What an instance has learned of the times of one kind of request: a straight line over size, as {@code planner.LatencyModel} has it, and how far the latest requests were from
 * it. The last hundred or so decide, so that it follows a store that changes. It begins with an assumption that is worth a few requests, which also keeps the line from tilting
 * while all requests have one size. Constant memory. Guarded by its owner.
 */
public final class RequestTimes {
    /** Requests whose deviation from the line is kept. */
    static final int KEPT = 256;

    /** What a request still weighs when another one has come. */
    private static final double MEMORY = 0.99;

    /** Weight of the assumption at first, in requests; what is measured outweighs it the more. */
    private static final double ASSUMED = 3;

    /** A request far beyond the usual moves the line no more than one so many times as long: stalls are for the deviations to show. */
    private static final double LARGEST_RATIO_OF_LINE = 4;

    private static final double LEAST_SECONDS = 1e-5;
    private static final double MEBIBYTE = 1 << 20;

    private final double assumedBase;
    private final double assumedPerMebibyte;
    private final double[] ratios = new double[KEPT];
    private int next;
    private long count;
    private double weight;
    private double sumX;
    private double sumY;
    private double sumXx;
    private double sumXy;

    /**
     * Times that nobody has measured yet.
     *
     * @param base assumed seconds of a request without bytes
     * @param perMebibyte assumed seconds that each MiB adds
     * @param spread assumed spread of a request's time, log-normal
     */
    public RequestTimes(double base, double perMebibyte, double spread) {
        assumedBase = base;
        assumedPerMebibyte = perMebibyte;
        for (int i = 0; i < KEPT; i++) {
            // In an order that has slow ones everywhere: 89 and 256 share no factor.
            double share = ((i * 89 % KEPT) + 0.5) / KEPT;
            ratios[i] = Math.exp(spread * normalQuantile(share));
        }
    }

    /** The times of puts until they are measured: between those of S3 as published and as the BlobShuffle paper saw it. */
    public static RequestTimes puts() {
        return new RequestTimes(0.13, 0.025, 0.4);
    }

    /** Takes note of a request. */
    public void took(double bytes, double seconds) {
        double usual = usual(bytes);
        ratios[next] = Math.max(LEAST_SECONDS, seconds) / usual;
        next = (next + 1) % KEPT;
        count++;
        double x = bytes / MEBIBYTE;
        double y = Math.min(seconds, LARGEST_RATIO_OF_LINE * usual);
        weight = MEMORY * weight + 1;
        sumX = MEMORY * sumX + x;
        sumY = MEMORY * sumY + y;
        sumXx = MEMORY * sumXx + x * x;
        sumXy = MEMORY * sumXy + x * y;
    }

    /** Requests that were measured. */
    public long count() {
        return count;
    }

    /** Expected seconds of a request. */
    public double usual(double bytes) {
        Line line = line();
        return Math.max(LEAST_SECONDS, line.meanY() + line.slope() * (bytes / MEBIBYTE - line.meanX()));
    }

    /** Bytes that add so many seconds to a request. */
    public double bytesWithin(double seconds) {
        return seconds / Math.max(line().slope(), 1e-9) * MEBIBYTE;
    }

    /** How many times as long as expected the latest requests took, each divided by what was expected then, in the order in which they came. */
    double[] ratios() {
        double[] ordered = new double[KEPT];
        System.arraycopy(ratios, next, ordered, 0, KEPT - next);
        System.arraycopy(ratios, 0, ordered, KEPT - next, next);
        return ordered;
    }

    private record Line(double meanX, double meanY, double slope) {}

    /** Least squares over what was measured and the assumption, at no bytes and at twice the usual size. */
    private Line line() {
        double usual = weight == 0 ? 1 : Math.max(sumX / weight, 1.0 / 1024);
        double far = 2 * usual;
        double assumedFar = assumedBase + assumedPerMebibyte * far;
        double assumed = ASSUMED * ASSUMED / (ASSUMED + weight);
        double all = weight + 2 * assumed;
        double x = (sumX + assumed * far) / all;
        double y = (sumY + assumed * (assumedBase + assumedFar)) / all;
        double xx = (sumXx + assumed * far * far) / all - x * x;
        double xy = (sumXy + assumed * far * assumedFar) / all - x * y;
        return new Line(x, y, Math.max(0, xy / Math.max(xx, 1e-18)));
    }

    /** The normal distribution's quantile, by Tukey's lambda distribution: good to some hundredths. */
    private static double normalQuantile(double share) {
        return 4.91 * (Math.pow(share, 0.14) - Math.pow(1 - share, 0.14));
    }
}
