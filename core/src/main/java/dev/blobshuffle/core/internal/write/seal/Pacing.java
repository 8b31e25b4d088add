package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.internal.metrics.Distribution;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.pricing.Calibration;
import dev.blobshuffle.core.internal.pricing.Pace;
import dev.blobshuffle.core.internal.pricing.PaceConditions;
import dev.blobshuffle.core.internal.pricing.PaceModel;
import dev.blobshuffle.core.internal.pricing.RequestTimes;
import dev.blobshuffle.core.internal.write.deliver.Segment;
import dev.blobshuffle.core.internal.write.options.LatencyTarget;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The adaptive mode of a Batcher. It measures the store and the channel for all batches together,
 * and chooses how batches fill to meet the target latency ({@link PaceModel}). Its metrics show the
 * last choice for any batch. Thread-safe: guarded by its monitor, unless a field says otherwise.
 */
public final class Pacing implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pacing.class);

    /** The number of measured puts from which an unreachable target is worth a warning. */
    private static final int TRUSTED_PUTS = 10;

    private static final int QUANTILES = 16;
    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;
    private static final long REFRESH_NANOS = Duration.ofSeconds(1).toNanos();

    /** The channel latency that is assumed until one is measured: a median within one region. */
    private static final double ASSUMED_CHANNEL_SECONDS = 0.015;

    /** Multiples of it, by one, are spread evenly: the golden ratio. */
    private static final double EVEN = 0.6180339887498949;

    private final LatencyTarget target;
    private final Time time;
    private final ShuffleMetrics metrics;
    private final RequestTimes puts = RequestTimes.puts();
    private final Calibration calibration = new Calibration();
    private final List<ShuffleMetrics.Registration> gauges = new ArrayList<>();
    private double[] channel = new double[QUANTILES];
    private long refreshed;
    private boolean isMeasured;
    private boolean hasWarned;

    /** Read by the metrics. */
    private volatile long shownBytes;

    private volatile @Nullable Pace shown;

    /**
     * Quantiles of the read latency at the last refresh, for the measured latency. Never changed in
     * place.
     */
    private volatile double[] reads = new double[QUANTILES];

    private final AtomicInteger deliveries = new AtomicInteger();

    /** A pacing without measurements. It registers its gauges with the metrics. */
    public Pacing(LatencyTarget target, Time time, ShuffleMetrics metrics) {
        this.target = target;
        this.time = time;
        this.metrics = metrics;
        gauges.add(metrics.report(Gauge.CHOSEN_BATCH_BYTES, () -> shownBytes));
        gauges.add(metrics.report(Gauge.CHOSEN_BATCH_DELAY, () -> shown(pace -> pace.fillSeconds() * MILLIS)));
        gauges.add(metrics.report(Gauge.PREDICTED_LATENCY_P95, () -> shown(pace -> pace.p95Seconds() * MILLIS)));
        gauges.add(metrics.report(Gauge.TARGET_LATENCY_UNREACHABLE, () -> shown(pace -> pace.meetsTarget() ? 0 : 1)));
    }

    private long shown(ToDoubleFunction<Pace> part) {
        Pace last = shown;
        return last == null ? 0 : Math.round(part.applyAsDouble(last));
    }

    LatencyTarget target() {
        return target;
    }

    /** Records a blob that became durable. */
    public synchronized void stored(long bytes, long nanosSinceSeal) {
        puts.took(bytes, nanosSinceSeal / NANOS);
    }

    /**
     * Records a segment that the channel has acknowledged: counts the latency of one of its
     * records, and compares it with the prediction.
     */
    public void delivered(Segment segment, long nowNanos) {
        int number = deliveries.getAndIncrement() & Integer.MAX_VALUE;
        double waited = number
                * EVEN
                % 1
                * Math.max(segment.filledNanos(), target.hidden().toNanos());
        double read = reads[number % QUANTILES] * NANOS;
        long latency = (long) (nowNanos - segment.sealedNanos() + waited + read);
        metrics.record(Latency.SHUFFLE_LATENCY, latency);
        if (segment.predictedNanos() > 0) {
            check(segment.predictedNanos(), latency);
        }
    }

    private synchronized void check(long predictedNanos, long latencyNanos) {
        calibration.took(predictedNanos, latencyNanos);
    }

    /** The bytes by which a put may grow without taking longer than a share of the target. */
    synchronized double bytesHardlyNoticed(double share) {
        return puts.bytesWithin(share * targetSeconds());
    }

    double targetSeconds() {
        return target.latency().toNanos() / NANOS;
    }

    synchronized Pace choose(PaceConditions conditions, Optional<Pace> last) {
        refresh();
        Pace pace = new PaceModel(puts, reads, channel, calibration.factor()).choose(conditions, last);
        if (!pace.meetsTarget() && !hasWarned && puts.count() >= TRUSTED_PUTS) {
            hasWarned = true;
            LOG.warn(
                    "Cannot meet blobshuffle.batch.target.latency.ms: the p95 is {} ms at best with the current times of the store and the channel,"
                            + " and the target is {} ms. Batches fill for {} ms, which costs more requests and hardly helps. Raise the target, or use a faster"
                            + " store. This warning appears once; the metric target-latency-unreachable shows the current state.",
                    Math.round(pace.p95Seconds() * 1e3),
                    target.latency().toMillis(),
                    Math.round(pace.fillSeconds() * 1e3));
        }
        return pace;
    }

    /** Shows a choice in the metrics. */
    void show(Pace pace, long blobBytes) {
        shown = pace;
        shownBytes = blobBytes;
    }

    private void refresh() {
        long now = time.nanos();
        if (isMeasured && now - refreshed < REFRESH_NANOS) {
            return;
        }
        isMeasured = true;
        refreshed = now;
        // Local readers stand for all readers. Without local readers, the model assumes that a get
        // takes as long as an empty put.
        reads = quantiles(metrics.distribution(Latency.HAND_OUT_LATENCY), puts.usual(0));
        channel = quantiles(metrics.distribution(Latency.NOTIFICATION_LATENCY), ASSUMED_CHANNEL_SECONDS);
    }

    private static double[] quantiles(Distribution measured, double assumed) {
        double[] seconds = new double[QUANTILES];
        boolean isKnown = measured.count() > 0;
        Arrays.setAll(seconds, i -> isKnown ? measured.percentile((i + 0.5) / QUANTILES) / NANOS : assumed);
        return seconds;
    }

    /** Unregisters the gauges. Idempotent. */
    @Override
    public void close() {
        gauges.forEach(ShuffleMetrics.Registration::close);
    }
}
