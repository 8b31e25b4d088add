package dev.blobshuffle.core.internal.pricing;

/**
 * Corrects predictions of a p95 by a factor, so that one measurement in twenty exceeds its
 * prediction. Each exceeding measurement raises the factor by a step, and each other one lowers it
 * by a nineteenth of that step. The factor settles where both balance, for any distribution and any
 * error of the model. It follows a lasting error within about a minute of batches; chance moves it
 * by some hundredths. Uses constant memory. Guarded by its owner.
 *
 * @see <a href="https://doi.org/10.1214/aoms/1177729586">Robbins and Monro, A Stochastic
 *     Approximation Method, 1951</a>
 */
public final class Calibration {
    private static final double ALLOWED = 0.05;

    /**
     * Increase of the factor's logarithm per late measurement. If all 36 batches of half a minute
     * are late, the factor rises by a quarter.
     */
    private static final double STEP = 0.0065;

    /** Lower bound, so that a few lucky measurements do not make batches far too long. */
    private static final double LEAST = 0.9;

    /**
     * Upper bound. A larger error has another cause: many small blobs do not help a stalled reader.
     */
    private static final double MOST = 1.5;

    private double factor = 1;

    /** A calibration that starts with the factor 1. */
    public Calibration() {}

    /**
     * Records one measurement, drawn at random from those that the prediction covers.
     *
     * @param predicted the predicted p95, with the factor at that time
     * @param measured the measurement, in the same unit
     */
    public void took(double predicted, double measured) {
        double step = measured > predicted ? STEP * (1 - ALLOWED) : -STEP * ALLOWED;
        factor = Math.min(MOST, Math.max(LEAST, factor * Math.exp(step)));
    }

    /** The factor for predicted latencies. */
    public double factor() {
        return factor;
    }
}
