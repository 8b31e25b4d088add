package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.internal.pricing.Pace;
import dev.blobshuffle.core.internal.pricing.PaceConditions;
import dev.blobshuffle.core.internal.write.deliver.Segment;
import dev.blobshuffle.core.internal.write.options.BatchLayout;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How one {@link OpenBatch} fills: for how long, up to which size, and into blobs of which size. As
 * the options say, or in the adaptive mode as {@link Pacing} chooses for the present load, anew
 * after each seal.
 *
 * <p>The delay decides in steady state. The size is there for a load that rises while a batch
 * fills: a batch with half as much again as expected is sealed early, so that its put does not take
 * too long, and shows the new load at once; when the load falls, the estimate follows in a few
 * batches, since a fill time for a high load is short enough for a low one.
 *
 * <p>Thread-safe: the estimate is guarded by the monitor, and the choice is read without it.
 */
final class BatchPace {
    /** A batch this much larger than expected is sealed at once. */
    private static final double SURGE = 1.5;

    /** A batch up to this much larger than expected becomes as many blobs as were chosen. */
    private static final double SLACK = 1.15;

    /** And whatever adds no more than this share of the target to a put is no surge. */
    private static final double HARDLY_NOTICED = 0.02;

    /** A lone full batch does not block the next one, nor the one that is being stored. */
    private static final int BATCHES_IN_BUFFER = 3;

    /** Until anything is known, batches are short against the target. */
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

    /** @param pacing null: as the options say */
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

    /** Time from a batch's first record to its seal. */
    Duration delay() {
        return delay;
    }

    /** Stored bytes of one zone at which a batch is sealed. */
    long sectionBytes() {
        return sectionBytes;
    }

    /** The aim for the size of a blob. */
    long blobBytes() {
        return blobBytes;
    }

    /** The predicted p95 of the latency of records; 0: none was predicted. */
    long predictedNanos() {
        return predictedNanos;
    }

    /**
     * Takes note of a seal, and chooses for the next batch.
     *
     * @param segments of one batch, not empty
     * @param ratio stored bytes per appended byte
     * @return whether the size may be another one now
     */
    boolean sealed(List<Segment> segments, SealReason reason, double ratio) {
        Pacing adaptive = pacing;
        long filledNanos = segments.get(0).filledNanos();
        if (adaptive == null || filledNanos == 0) {
            return false; // Nobody saw when the batch began.
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
        // A batch that a commit ended early says little of the load; one that was full before its
        // time is proof of a higher one.
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
