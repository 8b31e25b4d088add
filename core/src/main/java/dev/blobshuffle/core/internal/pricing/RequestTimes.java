package dev.blobshuffle.core.internal.pricing;

/**
 * Estimates the times of one kind of request: a straight line over size, like {@code
 * planner.LatencyModel}, and the deviations of the latest requests from it. The last hundred or so
 * requests dominate, so the line follows a changing store. It starts with an assumption that weighs
 * as much as a few requests. The assumption also keeps the line from tilting while all requests
 * have one size. Uses constant memory. Guarded by its owner.
 */
public final class RequestTimes {
    /** Number of requests whose deviation from the line is kept. */
    static final int KEPT = 256;

    /** Factor by which each new request reduces the weight of earlier ones. */
    private static final double MEMORY = 0.99;

    /** Initial weight of the assumption, in requests. Measurements gradually outweigh it. */
    private static final double ASSUMED = 3;

    /**
     * Bounds the effect of a slow request on the line, as a multiple of the usual time. The
     * deviations show stalls instead.
     */
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
     * Assumed times, before any measurement.
     *
     * @param base assumed seconds of a request without bytes
     * @param perMebibyte assumed seconds that each MiB adds
     * @param spread assumed spread of a request's time, log-normal
     */
    public RequestTimes(double base, double perMebibyte, double spread) {
        assumedBase = base;
        assumedPerMebibyte = perMebibyte;
        for (int i = 0; i < KEPT; i++) {
            // The order spreads slow requests evenly: 89 and 256 share no factor.
            double share = ((i * 89 % KEPT) + 0.5) / KEPT;
            ratios[i] = Math.exp(spread * normalQuantile(share));
        }
    }

    /**
     * The assumed times of puts before measurements: between the published times of S3 and those
     * measured in the BlobShuffle paper.
     */
    public static RequestTimes puts() {
        return new RequestTimes(0.13, 0.025, 0.4);
    }

    /** Records a request. */
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

    /** Number of measured requests. */
    public long count() {
        return count;
    }

    /** Expected seconds of a request. */
    public double usual(double bytes) {
        Line line = line();
        return Math.max(LEAST_SECONDS, line.meanY() + line.slope() * (bytes / MEBIBYTE - line.meanX()));
    }

    /** Number of bytes that add the given seconds to a request. */
    public double bytesWithin(double seconds) {
        return seconds / Math.max(line().slope(), 1e-9) * MEBIBYTE;
    }

    /** The times of the latest requests, each divided by its expected time, in order of arrival. */
    double[] ratios() {
        double[] ordered = new double[KEPT];
        System.arraycopy(ratios, next, ordered, 0, KEPT - next);
        System.arraycopy(ratios, 0, ordered, KEPT - next, next);
        return ordered;
    }

    private record Line(double meanX, double meanY, double slope) {}

    /**
     * Least squares over the measurements and the assumption. The assumption counts as requests of
     * 0 bytes and of twice the usual size.
     */
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

    /**
     * The normal distribution's quantile, approximated by Tukey's lambda distribution to some
     * hundredths.
     */
    private static double normalQuantile(double share) {
        return 4.91 * (Math.pow(share, 0.14) - Math.pow(1 - share, 0.14));
    }
}
