package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.write.deliver.Segment;
import dev.blobshuffle.core.internal.write.log.PartitionLog;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.upload.Uploads;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The records that lanes have appended and nobody has sealed yet, and the decision when to seal
 * them: at size, at the delay since the first record, at a flush, or under memory pressure.
 *
 * <p>Appends neither lock nor read a clock. The first one after a seal finds the batch not open,
 * opens it, and so starts the delay's timer; the others read one flag. A seal lets the flag fall
 * and then takes its snapshots; an append publishes its record and then reads the flag. An append
 * that read the flag just before it fell, and whose record the snapshot just missed, would have no
 * timer: so a short time after each seal one more look opens the batch if there is anything. An
 * idle batch has no timer.
 *
 * <p>Thread-safe; the monitor guards the lanes' outputs' cuts and their order in the delivery
 * queues, and nothing blocks while it is held.
 */
public final class OpenBatch {
    /**
     * Long enough that a record whose append read the old flag is visible, short against any delay
     * that is worth batching for.
     */
    private static final Duration SECOND_LOOK = Duration.ofMillis(2);

    private static final long LARGEST_STEP = 32 << 10;

    /**
     * With few, small batches end early: in three zones blobs of 256 KiB were 76 % full with 8, and
     * are 90 % full with 32.
     */
    private static final int STEPS_PER_BATCH = 32;

    /** Multiples of it, by one, are spread evenly: the golden ratio. */
    private static final double EVEN = 0.6180339887498949;

    private final Time time;
    private final Uploads uploads;
    private final BatchPace pace;
    private final ShuffleMetrics metrics;

    /** Guarded by this, as everything below. */
    private final List<Sealable> lanes = new ArrayList<>();

    private final Map<Zone, SectionFill> fills = new HashMap<>();
    private Time.@Nullable Cancellable delayTimer;
    private Time.@Nullable Cancellable secondLook;
    private boolean isPostponed;
    private boolean isClosed;
    private long seals;
    private long openedNanos;

    private volatile boolean isOpen;
    private volatile long step;
    private volatile long sealAtBytes;

    /**
     * A batch without lanes.
     *
     * @param pacing chooses how it fills; null: the options do
     */
    public OpenBatch(
            BatcherOptions options, Time time, Uploads uploads, @Nullable Pacing pacing, ShuffleMetrics metrics) {
        this.metrics = metrics;
        this.time = time;
        this.uploads = uploads;
        pace = new BatchPace(options, pacing);
        openedNanos = time.nanos();
        measure();
    }

    /** Lanes tell their bytes in steps, so the batch is full that much earlier. */
    private void measure() {
        int count = Math.max(1, lanes.size());
        long bytes = pace.sectionBytes();
        step = Math.max(1, Math.min(LARGEST_STEP, bytes / ((long) STEPS_PER_BATCH * count)));
        sealAtBytes = Math.max(1, bytes - step * count);
    }

    public synchronized void add(Sealable lane) {
        lanes.add(lane);
        measure();
    }

    public synchronized void remove(Sealable lane) {
        lanes.remove(lane);
        measure();
    }

    /** A lane's section for a zone. Owned by the lane's thread. */
    public synchronized PartitionLog.Section section(Zone zone) {
        return new LaneSection(this, fills.computeIfAbsent(zone, SectionFill::new));
    }

    /** Bytes that a lane keeps to itself for each zone, before it tells them. */
    long step() {
        return step;
    }

    boolean isOpen() {
        return isOpen;
    }

    /** Number of seals so far. */
    public synchronized long seals() {
        return seals;
    }

    /** The batch has its first record. */
    synchronized void open() {
        if (!isOpen && !isClosed) {
            isOpen = true;
            stopSecondLook();
            long opened = seals;
            openedNanos = time.nanos();
            delayTimer = time.schedule(pace.delay(), () -> delayIsOver(opened));
        }
    }

    private void delayIsOver(long opened) {
        synchronized (this) {
            if (seals != opened || isClosed) {
                return; // Sealed meanwhile, for another reason.
            }
            delayTimer = null;
            isPostponed = uploads.isSaturated();
        }
        sealIfDue(opened);
    }

    /**
     * Seals a batch whose delay is over, once the store has caught up. By the timer, and whenever a
     * blob is no longer in flight.
     */
    public void sealPostponed() {
        long opened;
        synchronized (this) {
            if (!isPostponed) {
                return;
            }
            opened = seals;
        }
        sealIfDue(opened);
    }

    private void sealIfDue(long opened) {
        List<Segment> sealed;
        synchronized (this) {
            boolean mustWait = isPostponed && uploads.isSaturated();
            sealed = seals != opened || mustWait ? List.of() : cut();
        }
        dispatch(sealed, SealReason.DELAY);
    }

    /** Whether a seal waits for a blob to end. */
    public synchronized boolean isPostponed() {
        return isPostponed;
    }

    /**
     * A lane tells bytes for a zone. Sealing at zones × the size in total would come later than
     * this for any distribution over zones.
     */
    void filled(SectionFill fill, long bytes) {
        if (isFull(fill.add(bytes))) {
            List<Segment> sealed;
            synchronized (this) {
                sealed = isFull(fill.bytes()) ? cut() : List.of();
            }
            dispatch(sealed, SealReason.SIZE);
        }
    }

    private boolean isFull(long bytes) {
        return bytes * uploads.ratio() >= sealAtBytes;
    }

    /** Seals everything that was appended before. */
    public void seal(SealReason reason) {
        List<Segment> sealed;
        synchronized (this) {
            sealed = cut();
        }
        dispatch(sealed, reason);
    }

    private void dispatch(List<Segment> sealed, SealReason reason) {
        if (!sealed.isEmpty()) {
            metrics.add(reason.counter(), 1);
            uploads.dispatch(sealed, pace.blobBytes());
            if (pace.sealed(sealed, reason, uploads.ratio())) {
                synchronized (this) {
                    measure();
                }
            }
        }
    }

    private List<Segment> cut() {
        boolean mayHaveMissed = isOpen;
        isOpen = false;
        isPostponed = false;
        if (delayTimer != null) {
            delayTimer.cancel();
            delayTimer = null;
        }
        List<Segment> sealed = new ArrayList<>();
        long now = time.nanos();
        for (Sealable lane : lanes) {
            lane.cut(sealed, now);
        }
        if (mayHaveMissed) {
            long filled = Math.max(1, now - openedNanos);
            sealed.forEach(segment -> segment.filledFor(filled));
            checkOne(sealed);
        }
        fills.values().forEach(SectionFill::clear);
        seals++;
        mayHaveMissed |= !sealed.isEmpty(); // Also when all that is seen was discarded before.
        if (mayHaveMissed && secondLook == null && !isClosed) {
            secondLook = time.schedule(SECOND_LOOK, this::lookAgain);
        }
        return sealed;
    }

    /** What was predicted is compared with one segment of each batch: the others share its fate. */
    private void checkOne(List<Segment> sealed) {
        if (!sealed.isEmpty()) {
            int chosen = (int) (seals * EVEN % 1 * sealed.size());
            sealed.get(chosen).predicted(pace.predictedNanos());
        }
    }

    private void lookAgain() {
        synchronized (this) {
            secondLook = null;
        }
        if (!isOpen && hasUnsealed()) {
            open();
        }
    }

    private void stopSecondLook() {
        if (secondLook != null) {
            secondLook.cancel();
            secondLook = null;
        }
    }

    private synchronized boolean hasUnsealed() {
        for (Sealable lane : lanes) {
            if (lane.hasUnsealed()) {
                return true;
            }
        }
        return false;
    }

    /** Ends the batch: its lanes have ended before. */
    public synchronized void close() {
        isClosed = true;
        isOpen = false;
        stopSecondLook();
        if (delayTimer != null) {
            delayTimer.cancel();
            delayTimer = null;
        }
    }
}
