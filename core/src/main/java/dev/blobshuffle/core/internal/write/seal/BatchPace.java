package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.internal.pricing.Pace;
import dev.blobshuffle.core.internal.pricing.PaceConditions;
import dev.blobshuffle.core.internal.write.deliver.Segment;
import dev.blobshuffle.core.internal.write.options.BatchLayout;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.options.BatcherOptions.Sealing;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one {@link OpenBatch}: how long it fills, up to which size, and the size of its
 * blobs. The options set them. In the adaptive mode, {@link Pacing} chooses them again after each
 * seal, for the current load.
 *
 * <p>In steady state the delay seals batches. The size limit handles a load that rises while a
 * batch fills. A batch that is 1.5 times as large as expected is sealed early: its put does not
 * take too long, and the estimate of the load rises at once. When the load falls, the estimate
 * follows within a few batches, because a fill time for a high load is also short enough for a low
 * one.
 *
 * <p>Thread-safe: the monitor guards the estimate; the chosen limits are volatile.
 */
final class BatchPace {
    /** A batch larger than expected by this factor is sealed at once. */
    private static final double SURGE = 1.5;

    /** A batch larger than expected by up to this factor becomes the chosen number of blobs. */
    private static final double SLACK = 1.15;

    /** Bytes that lengthen a put by at most this share of the target are not a surge. */
    private static final double HARDLY_NOTICED = 0.02;

    /**
     * The write buffer has room for a full batch, the next batch, and a batch that is being stored.
     */
    private static final int BATCHES_IN_BUFFER = 3;

    /** Until the load is known, the fill time is the target latency divided by this. */
    private static final int FIRST_SHARE = 4;

    private static final long LEAST_NANOS_BETWEEN = Duration.ofMillis(50).toNanos();
    private static final double CHANGED_LOAD = 0.2;
    private static final double NANOS = 1e9;

    private final BatcherOptions options;
    private final @Nullable Pacing pacing;
    private double rate;
    private double fullestShare = 1;
    private double chosenRate;
    private long chosenAt;
    private @Nullable Pace pace;
    private volatile Duration delay;
    private volatile long sectionBytes;
    private volatile long blobBytes;
    private volatile long predictedNanos;

    /**
     * @param pacing null: the options decide
     */
    BatchPace(BatcherOptions options, @Nullable Pacing pacing) {
        this.options = options;
        this.pacing = pacing;
        sectionBytes = options.batchBytes();
        blobBytes = options.batchBytes();
        delay = pacing == null
                ? options.delay()
                : shorter(options.delay(), pacing.target().latency().dividedBy(FIRST_SHARE));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    /**
     * Time from a batch's first record to its seal.
     *
     * @param wallMillis when the first record was appended
     */
    Duration delay(LongSupplier wallMillis) {
        Duration longest = delay;
        if (options.sealing() == Sealing.AFTER_DELAY || longest.toMillis() < 1) {
            return longest;
        }
        return Duration.ofMillis(longest.toMillis() - Math.floorMod(wallMillis.getAsLong(), longest.toMillis()));
    }

    /** Stored bytes of one zone at which a batch is sealed. */
    long sectionBytes() {
        return sectionBytes;
    }

    /** The target size of a blob. */
    long blobBytes() {
        return blobBytes;
    }

    /** The predicted p95 of the latency of records; 0: no prediction. */
    long predictedNanos() {
        return predictedNanos;
    }

    /**
     * Records a seal, and chooses the limits of the next batch.
     *
     * @param segments of one batch, not empty
     * @param ratio stored bytes per appended byte
     * @return whether the size limit may have changed
     */
    boolean sealed(List<Segment> segments, SealReason reason, double ratio) {
        Pacing adaptive = pacing;
        long filledNanos = segments.get(0).filledNanos();
        if (adaptive == null || filledNanos == 0) {
            return false; // The start of the batch is unknown.
        }
        long sealedNanos = segments.get(0).sealedNanos();
        Map<Zone, Long> sections = new HashMap<>();
        long bytes = 0;
        long fullest = 0;
        for (Segment segment : segments) {
            bytes += segment.bytes();
            fullest = Math.max(fullest, sections.merge(segment.zone(), segment.bytes(), Long::sum));
        }
        synchronized (this) {
            observe(bytes * ratio, (double) fullest / bytes, filledNanos / NANOS, reason);
            boolean isNew = pace == null || Math.abs(rate / chosenRate - 1) > CHANGED_LOAD;
            if (isNew || sealedNanos - chosenAt > LEAST_NANOS_BETWEEN) {
                chosenAt = sealedNanos;
                chosenRate = rate;
                choose(adaptive, sections.size(), ratio);
            }
        }
        return true;
    }

    private void observe(double bytes, double share, double seconds, SealReason reason) {
        double now = Math.max(1, bytes) / Math.max(seconds, 1e-3);
        // A batch that a commit ended early says little about the load. A batch that was full early
        // proves a higher load.
        double weight = seconds / (seconds + delay.toNanos() / NANOS / 2);
        boolean isSurge = reason == SealReason.SIZE && now > rate;
        rate = rate == 0 || isSurge ? now : rate + weight * (now - rate);
        fullestShare = fullestShare + weight * (share - fullestShare);
    }

    private void choose(Pacing adaptive, int sections, double ratio) {
        PaceConditions conditions = new PaceConditions(
                adaptive.targetSeconds(),
                Math.max(1e-3, options.delay().toNanos() / NANOS),
                rate,
                Math.max(1, options.bufferBytes() * ratio / BATCHES_IN_BUFFER),
                options.batchBytes(),
                options.inlineBytes() * ratio,
                sections,
                options.layout() == BatchLayout.PER_ZONE ? sections : 1,
                options.layout() == BatchLayout.SINGLE ? 1 : sections,
                adaptive.target().hidden().toNanos() / NANOS);
        Pace chosen = adaptive.choose(conditions, Optional.ofNullable(pace));
        pace = chosen;
        double expected = chosen.fillSeconds() * rate;
        double noise = adaptive.bytesHardlyNoticed(HARDLY_NOTICED);
        predictedNanos = (long) (chosen.p95Seconds() * NANOS);
        delay = Duration.ofNanos((long) (chosen.fillSeconds() * NANOS));
        blobBytes = atMost(options.batchBytes(), (SLACK * expected + noise) / chosen.blobs());
        sectionBytes = atMost(options.batchBytes(), fullestShare * (SURGE * expected + 2 * noise));
        adaptive.show(chosen, blobBytes);
    }

    private static long atMost(long most, double bytes) {
        return (long) Math.max(1, Math.min(most, bytes));
    }
}
