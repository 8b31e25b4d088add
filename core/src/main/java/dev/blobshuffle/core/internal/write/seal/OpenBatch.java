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
 * The unsealed records of all lanes that share a batch, and the decision when to seal them: at the
 * size limit, when the delay since the first record is over, at a flush, or under memory pressure.
 *
 * <p>Appends take no lock and read no clock. The first append after a seal finds the open flag
 * cleared and opens the batch, which starts the delay's timer. The other appends only read the
 * flag. A seal clears the flag and then takes its snapshots; an append publishes its record and
 * then reads the flag. An append may read the flag just before it is cleared, while the snapshot
 * just misses its record. To start a timer for such a record, a check shortly after each seal opens
 * the batch if it has records. An idle batch has no timer.
 *
 * <p>Thread-safe. The monitor guards the cuts of the lanes' outputs and their order in the delivery
 * queues. No thread blocks while it holds the monitor.
 */
public final class OpenBatch {
    /**
     * The time from a seal to the check. It is long enough for a record whose append read the old
     * flag to become visible, and short compared with any useful batch delay.
     */
    private static final Duration SECOND_LOOK = Duration.ofMillis(2);

    private static final long LARGEST_STEP = 32 << 10;

    /**
     * The number of steps in which lanes report a full section. With few steps, small batches are
     * sealed early: in three zones, blobs of 256 KiB are 76 % full with 8 steps and 90 % full with
     * 32.
     */
    private static final int STEPS_PER_BATCH = 32;

    /** The golden ratio. The fractional parts of its multiples are spread evenly. */
    private static final double EVEN = 0.6180339887498949;

    private final Time time;
    private final Uploads uploads;
    private final BatchPace pace;
    private final ShuffleMetrics metrics;

    /** Guarded by this, like all fields below. */
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
     * @param pacing chooses the limits of the batch; null: the options do
     */
    public OpenBatch(
            BatcherOptions options, Time time, Uploads uploads, @Nullable Pacing pacing, ShuffleMetrics metrics) {
        this.metrics = metrics;
        this.time = time;
        this.uploads = uploads;
        pace = new BatchPace(options, pacing);
        openedNanos = time.nanos();
        setLimits();
    }

    /**
     * Sets the step and the size limit. Lanes report their bytes in steps, so the limit is lower by
     * the bytes that they may not have reported.
     */
    private void setLimits() {
        int count = Math.max(1, lanes.size());
        long bytes = pace.sectionBytes();
        step = Math.max(1, Math.min(LARGEST_STEP, bytes / ((long) STEPS_PER_BATCH * count)));
        sealAtBytes = Math.max(1, bytes - step * count);
    }

    public synchronized void add(Sealable lane) {
        lanes.add(lane);
        setLimits();
    }

    public synchronized void remove(Sealable lane) {
        lanes.remove(lane);
        setLimits();
    }

    /** A lane's section for a zone. Owned by the lane's thread. */
    public synchronized PartitionLog.Section section(Zone zone) {
        return new LaneSection(this, fills.computeIfAbsent(zone, SectionFill::new));
    }

    /** Bytes that a lane counts for each zone before it reports them. */
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

    /** Opens the batch at its first record, and starts the delay's timer. */
    synchronized void open() {
        if (!isOpen && !isClosed) {
            isOpen = true;
            stopSecondLook();
            long opened = seals;
            openedNanos = time.nanos();
            delayTimer = time.schedule(pace.delay(time::wallMillis), () -> delayIsOver(opened));
        }
    }

    private void delayIsOver(long opened) {
        synchronized (this) {
            if (seals != opened || isClosed) {
                return; // Already sealed, for another reason.
            }
            delayTimer = null;
            isPostponed = uploads.isSaturated();
        }
        sealIfDue(opened);
    }

    /**
     * Seals a batch whose delay is over, once the store has caught up. Called whenever a blob is no
     * longer in flight.
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
     * Adds bytes that a lane reports for a zone, and seals the batch if that zone's section is
     * full. For any distribution over zones, this is no later than a seal at a total of zones ×
     * size.
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
                    setLimits();
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
            predictOne(sealed);
        }
        fills.values().forEach(SectionFill::clear);
        seals++;
        mayHaveMissed |= !sealed.isEmpty(); // Also if all records in the snapshots had been discarded.
        if (mayHaveMissed && secondLook == null && !isClosed) {
            secondLook = time.schedule(SECOND_LOOK, this::lookAgain);
        }
        return sealed;
    }

    /**
     * Sets the predicted latency on one segment of each batch. The other segments of the batch take
     * about as long.
     */
    private void predictOne(List<Segment> sealed) {
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

    /** Ends the batch. Called after its lanes have ended. */
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
