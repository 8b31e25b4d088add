package dev.blobshuffle.core.internal.pricing;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The planner's latency model ({@code planner.LatencyForecast}), fast enough (about 0.1 ms) to run
 * at every seal. It uses times that the instance measured instead of those of a profile.
 *
 * <p>Batches fill for a time T and are put one after the other. A batch is notified when its blob
 * and all earlier blobs are stored; the channel and a read follow. Before that, a record waits for
 * a uniform part of T (under exactly-once, of the time between commits, if that is longer). The
 * model does not draw records. It sums the share of late records per batch, which is exact for the
 * wait, so some hundred requests suffice.
 *
 * <p>Fewer and larger batches cost less, so the model chooses the cheapest pace that meets the
 * target. For each number of blobs per batch it finds the longest T by halving; then it takes the
 * lowest price per second. Users see the p95 of each ten seconds. These have a few dozen blobs, so
 * the p95 varies by chance, and the model aims below the target. Immutable.
 */
public final class PaceModel {
    /**
     * Share of the target that the long-run p95 may use, so that the p95 of each ten seconds stays
     * below the target.
     */
    private static final double AIM = 0.75;

    private static final double P95 = 0.95;

    /** Price of a get relative to a put; roughly the same with every provider. */
    private static final double GET_PRICE = 0.08;

    /** A p95 within this factor of the best counts as equally good. */
    private static final double ALMOST_BEST = 1.02;

    /**
     * If the target is out of reach, a latency within this factor of the best one is accepted.
     * Closer to the best, requests multiply for little gain.
     */
    private static final double SENSIBLE = 1.25;

    /** A new pace must be cheaper than the last one by this share. */
    private static final double WORTH_A_CHANGE = 0.05;

    private static final double STEP = 0.8;
    private static final int HALVINGS = 8;
    private static final int HALVINGS_OF_LATENCY = 14;
    private static final int QUANTILES = 16;

    private final RequestTimes puts;
    private final double[] ratios;
    private final double[] after = new double[RequestTimes.KEPT];
    private final double calibration;

    /**
     * A model of the current times.
     *
     * @param puts current times of puts; read while a pace is chosen
     * @param reads times from the arrival of a notification until its records are returned, in
     *     seconds: 16 quantiles
     * @param channel times from the send of a notification until its arrival, in seconds: 16
     *     quantiles
     * @param calibration the factor for predictions, {@link Calibration#factor}
     */
    public PaceModel(RequestTimes puts, double[] reads, double[] channel, double calibration) {
        if (reads.length != QUANTILES || channel.length != QUANTILES || !(calibration > 0)) {
            throw new IllegalArgumentException(
                    "Cannot model a pace: there are " + reads.length + " and " + channel.length
                            + " quantiles, and the calibration is " + calibration + ". Give " + QUANTILES
                            + ", and a positive one.");
        }
        this.puts = puts;
        ratios = puts.ratios();
        for (int i = 0; i < after.length; i++) {
            after[i] = reads[(i * 11 + i / QUANTILES) % QUANTILES] + channel[(i * 5 + i / QUANTILES) % QUANTILES];
        }
        this.calibration = calibration;
    }

    /**
     * The cheapest pace that meets the target; if none does, the cheapest one near the best
     * latency. The last pace stays unless another is clearly cheaper.
     */
    public Pace choose(PaceConditions conditions, Optional<Pace> last) {
        double aim = AIM * conditions.targetSeconds();
        Choice best = cheapest(conditions, aim);
        if (best == null) {
            double reachable = reachable(conditions);
            aim = Math.min(SENSIBLE * reachable, Math.max(ALMOST_BEST * reachable, conditions.targetSeconds()));
            best = cheapest(conditions, aim);
        }
        if (best == null) {
            best = new Choice(conditions.leastSeconds(), conditions.mostBlobs(), 0);
        }
        if (last.isPresent() && isStillGood(last.get(), best, aim, conditions)) {
            best = new Choice(last.get().fillSeconds(), last.get().blobs(), 0);
        }
        double p95 = p95(best.seconds, best.blobs, conditions);
        return new Pace(best.seconds, best.blobs, p95, p95 <= conditions.targetSeconds());
    }

    private record Choice(double seconds, int blobs, double price) {}

    private boolean isStillGood(Pace last, Choice best, double aim, PaceConditions conditions) {
        int blobs = last.blobs();
        return blobs >= conditions.leastBlobs()
                && blobs <= conditions.mostBlobs()
                && last.fillSeconds() <= conditions.longestSeconds(blobs)
                && price(last.fillSeconds(), blobs, conditions) <= (1 + WORTH_A_CHANGE) * best.price
                && isWithin(aim, last.fillSeconds(), blobs, conditions);
    }

    private @Nullable Choice cheapest(PaceConditions conditions, double target) {
        Choice best = null;
        double least = conditions.leastSeconds();
        double inlined = conditions.inlineBytes() / conditions.bytesPerSecond() * (1 - 1e-6);
        for (int blobs = conditions.leastBlobs(); blobs <= conditions.mostBlobs(); blobs++) {
            double longest = conditions.longestSeconds(blobs);
            // Searches above and below the inline limit separately, because the put causes a step
            // between them.
            best = cheaper(best, longest(Math.max(least, inlined * (1 + 2e-6)), longest, blobs, target, conditions));
            best = cheaper(best, longest(least, Math.min(longest, inlined), blobs, target, conditions));
        }
        return best;
    }

    private static @Nullable Choice cheaper(@Nullable Choice one, @Nullable Choice other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return other.price < one.price ? other : one;
    }

    /**
     * The longest fill time in a range with a p95 within the target; null: none. A shorter time is
     * not always better, because one slow put delays all batches behind it. So the search goes down
     * from the longest time, in steps.
     */
    private @Nullable Choice longest(double least, double most, int blobs, double target, PaceConditions conditions) {
        double high = most;
        double low = most;
        while (low >= least && !isWithin(target, low, blobs, conditions)) {
            high = low;
            low *= STEP;
        }
        if (low < least) {
            return null;
        }
        for (int i = 0; i < HALVINGS && low < high; i++) {
            double middle = (low + high) / 2;
            if (isWithin(target, middle, blobs, conditions)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return new Choice(low, blobs, price(low, blobs, conditions));
    }

    /** The lowest reachable p95, seconds. */
    private double reachable(PaceConditions conditions) {
        double best = Double.MAX_VALUE;
        for (int blobs = conditions.leastBlobs(); blobs <= conditions.mostBlobs(); blobs++) {
            for (double low = conditions.longestSeconds(blobs); low >= conditions.leastSeconds(); low *= STEP * STEP) {
                best = Math.min(best, p95(low, blobs, conditions));
            }
        }
        return best;
    }

    /**
     * Requests per second, in puts. An inlined byte costs as much as a byte of a batch just above
     * the inline limit, because the limit is chosen that way.
     */
    private static double price(double seconds, int blobs, PaceConditions conditions) {
        double bytes = seconds * conditions.bytesPerSecond();
        double gets = conditions.sections() * GET_PRICE;
        return bytes < conditions.inlineBytes()
                ? (1 + gets) * conditions.bytesPerSecond() / conditions.inlineBytes()
                : (blobs + gets) / seconds;
    }

    /** Share of records that exceed the target, before calibration. */
    double late(double seconds, int blobs, double target, PaceConditions conditions) {
        double bytes = seconds * conditions.bytesPerSecond();
        double put = bytes < conditions.inlineBytes() ? 0 : puts.usual(bytes / blobs);
        double wait = Math.max(seconds, conditions.hiddenSeconds());
        double stored = 0;
        double sum = 0;
        for (int i = 0; i < ratios.length; i++) {
            stored = Math.max(stored - seconds, put * ratios[i]); // Not before the previous batch.
            double late = (stored + after[i] + wait - target) / wait;
            sum += Math.max(0, Math.min(1, late));
        }
        return sum / ratios.length;
    }

    private boolean isWithin(double target, double seconds, int blobs, PaceConditions conditions) {
        return late(seconds, blobs, target / calibration, conditions) <= 1 - P95;
    }

    /** The latency in seconds that 95 % of the records do not exceed. */
    double p95(double seconds, int blobs, PaceConditions conditions) {
        double low = 0;
        double high = Math.max(seconds, conditions.hiddenSeconds());
        while (!isWithin(high, seconds, blobs, conditions)) {
            low = high;
            high *= 2;
        }
        for (int i = 0; i < HALVINGS_OF_LATENCY; i++) {
            double middle = (low + high) / 2;
            if (isWithin(middle, seconds, blobs, conditions)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return high;
    }
}
