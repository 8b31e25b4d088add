package dev.blobshuffle.core.pricing;

/**
 * How far the predictions of a p95 are off: what they have to be multiplied by so that one measurement in twenty is longer. A step up for each that is, a nineteenth of it down for each that is not,
 * which ends where the shares balance, whatever the distribution and whatever the model has left out. It follows a lasting error within about a minute of batches, and chance moves it by
 * some hundredths. Constant memory. Guarded by its owner.
 *
 * @see <a href="https://doi.org/10.1214/aoms/1177729586">Robbins and Monro, A Stochastic Approximation Method, 1951</a>
 */
public final class Calibration {
    private static final double ALLOWED = 0.05;

    /** By which the factor's logarithm rises in all when every one of 36 batches, half a minute's, is late: a quarter more. */
    private static final double STEP = 0.0065;

    /** A spell of luck shall not make batches much too long. */
    private static final double LEAST = 0.9;

    /** Beyond it, something else is wrong: a stalled reader is not helped by many small blobs. */
    private static final double MOST = 1.5;

    private double factor = 1;

    /** A model that is trusted. */
    public Calibration() {}

    /**
     * Takes note of one measurement, at random among those that the prediction was for.
     *
     * @param predicted the p95 that was predicted, with the factor of then
     * @param measured what it was, in the same unit
     */
    public void took(double predicted, double measured) {
        double step = measured > predicted ? STEP * (1 - ALLOWED) : -STEP * ALLOWED;
        factor = Math.min(MOST, Math.max(LEAST, factor * Math.exp(step)));
    }

    /** What a predicted latency has to be multiplied by. */
    public double factor() {
        return factor;
    }
}
