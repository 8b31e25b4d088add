package dev.blobshuffle.core.internal.write.deliver;

import dev.blobshuffle.core.internal.concurrent.References;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Frame;
import dev.blobshuffle.core.internal.format.record.FrameEncoder;
import dev.blobshuffle.core.internal.format.record.RecordCursor;
import dev.blobshuffle.core.internal.format.record.SegmentSource;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.RecordReceiver;
import dev.blobshuffle.core.internal.write.log.LogCut;
import dev.blobshuffle.core.internal.write.log.Slice;
import dev.blobshuffle.core.internal.write.log.TimestampRange;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sealed records of one lane for one partition, from the cut until the channel has acknowledged
 * them.
 *
 * <pre>
 *   WAITING ──blob readable──▶ STORED ─┐
 *      │  └──inline, fallback──▶ PLAIN ─┴──sent──▶ SENT ──acknowledged──▶ DELIVERED
 *      └────── (any of these) ──lane failed or discarded──▶ DROPPED
 * </pre>
 *
 * <p>In an ordinary store a readable blob is durable. In a store of two speeds, a segment may be
 * {@link State#STORED} and beyond while its blob is not durable yet. The queue remembers it as one
 * of its {@link EarlySegments}.
 *
 * <p>Threads: the monitor of the {@link DeliveryQueue} guards the state and the fields that depend
 * on it. One thread at a time reads the records and compresses them in place: first a worker of the
 * upload, then the thread that sends them as plain records.
 */
public final class Segment implements Channel.Entry, Channel.SegmentRecords, Channel.Delivery {
    /** The state of a segment between its cut and its delivery. */
    enum State {
        /** In memory, its blob not readable. */
        WAITING,
        /** In a readable blob; the notification may be sent. */
        STORED,
        /** To be sent as plain records once it is due. */
        PLAIN,
        /** Passed to the channel. */
        SENT,
        /** Acknowledged by the channel. */
        DELIVERED,
        /** Dropped, because the lane failed or was discarded. */
        DROPPED
    }

    private final DeliveryQueue queue;
    private final Partition partition;
    private final Zone zone;
    private final int records;
    private final long bytes;
    private final long sealedNanos;
    private List<Slice> slices;
    private List<Frame> frames = List.of();
    private @Nullable TimestampRange timestamps;
    private @Nullable References fallback;

    State state = State.WAITING;
    private @Nullable Notification notification;
    private boolean isDue;
    private boolean isLost;
    private long filledNanos;
    private long predictedNanos;
    private long sentNanos;

    /**
     * A segment that waits for its blob.
     *
     * @param queue the queue of its lane
     * @param zone the zone of its readers
     * @param cut its records, whose memory the segment owns from now on
     */
    public Segment(DeliveryQueue queue, Partition partition, Zone zone, LogCut cut, long sealedNanos) {
        this.queue = queue;
        this.partition = partition;
        this.zone = zone;
        slices = cut.slices();
        records = cut.records();
        timestamps = cut.timestamps();
        this.sealedNanos = sealedNanos;
        long sum = 0;
        for (Slice slice : slices) {
            sum += slice.length();
        }
        bytes = sum;
    }

    /** The queue of the segment's lane. */
    public DeliveryQueue queue() {
        return queue;
    }

    @Override
    public Partition partition() {
        return partition;
    }

    /** The zone of the readers. */
    public Zone zone() {
        return zone;
    }

    /** Bytes as appended, before compression. */
    public long bytes() {
        return bytes;
    }

    /** The time of the cut. */
    public long sealedNanos() {
        return sealedNanos;
    }

    /**
     * Sets how long the batch took from its first record to its seal. Called by the sealing thread.
     */
    public void filledFor(long nanos) {
        filledNanos = nanos;
    }

    /**
     * Sets the predicted p95, in nanoseconds, to compare the segment's latency with. Called by the
     * sealing thread.
     */
    public void predicted(long nanos) {
        predictedNanos = nanos;
    }

    /** The predicted p95, nanoseconds; 0: none. */
    public long predictedNanos() {
        return predictedNanos;
    }

    /**
     * Time from the batch's first record to its seal, nanoseconds; 0 if the time of the first
     * record is unknown.
     */
    public long filledNanos() {
        return filledNanos;
    }

    /** The records; empty once the blob is readable. */
    public List<Slice> slices() {
        return slices;
    }

    @Override
    public int count() {
        return records;
    }

    /** Length of the largest slice, bytes. No record is larger. */
    public int largestSlice() {
        int largest = 0;
        for (Slice slice : slices) {
            largest = Math.max(largest, slice.length());
        }
        return largest;
    }

    /**
     * Encodes the segment for a blob: compresses and encrypts the records in place. Called once, by
     * a worker.
     */
    public SegmentSource encode(FrameEncoder encoder) {
        TimestampRange known = timestamps();
        encoder.begin(partition);
        List<Frame> encoded = new ArrayList<>(slices.size());
        for (Slice slice : slices) {
            encoded.add(encoder.encode(
                    slice.chunk().array(), slice.offset(), slice.length(), slice.records(), slice.baseTimestamp()));
        }
        frames = encoded;
        return new SegmentSource(zone, partition, queue.laneName(), known.min(), known.max(), encoded);
    }

    private TimestampRange timestamps() {
        TimestampRange known = timestamps;
        if (known == null) {
            known = walkTimestamps();
            timestamps = known;
        }
        return known;
    }

    /** Needed if the log's writer noticed a cut too late to restart the range. */
    private TimestampRange walkTimestamps() {
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        RecordCursor cursor = new RecordCursor();
        for (Slice slice : slices) {
            reset(cursor, slice);
            while (cursor.next()) {
                min = Math.min(min, cursor.timestamp());
                max = Math.max(max, cursor.timestamp());
            }
        }
        return new TimestampRange(min, max);
    }

    private static void reset(RecordCursor cursor, Slice slice) {
        cursor.reset(slice.chunk().array(), slice.offset(), slice.length(), slice.records(), slice.baseTimestamp());
    }

    /** The blob is readable. Called under the queue's monitor. */
    void toStored(Notification reference) {
        state = State.STORED;
        notification = reference;
        slices = List.of();
        frames = List.of();
    }

    /** The lane ended before the readable blob was durable. Called under the queue's monitor. */
    void toLost() {
        isLost = true;
    }

    /** Whether the lane ended before the readable blob was durable. */
    boolean isLost() {
        return isLost;
    }

    /**
     * The records are to be sent through the channel. Called under the queue's monitor.
     *
     * @param holder the references to the blob's memory, one of them for this segment; null: the
     *     segment's slices hold their memory
     */
    void toPlain(@Nullable References holder) {
        state = State.PLAIN;
        fallback = holder;
    }

    /** The plain records may be sent. Called under the queue's monitor. */
    void toDue() {
        isDue = true;
    }

    /** The segment is about to be passed to the channel. Called under the queue's monitor. */
    void toSent(long nowNanos) {
        state = State.SENT;
        sentNanos = nowNanos;
    }

    long sentNanos() {
        return sentNanos;
    }

    boolean isSendable() {
        return state == State.STORED || (state == State.PLAIN && isDue);
    }

    @Override
    public @Nullable Notification notification() {
        return notification;
    }

    @Override
    public long earliest() {
        return timestamps().min();
    }

    @Override
    public long latest() {
        return timestamps().max();
    }

    @Override
    public Channel.SegmentRecords records() {
        return this;
    }

    @Override
    public Channel.Delivery delivery() {
        return this;
    }

    /** The blob that the notification refers to; null for plain records. */
    @Nullable
    BlobId blob() {
        Notification reference = notification;
        return reference == null ? null : reference.blob();
    }

    @Override
    public void whenDurable(Runnable durable, Consumer<RuntimeException> lost) {
        queue.whenDurable(this, durable, lost);
    }

    @Override
    public boolean isTooLate() {
        return queue.isTooLate(this);
    }

    boolean isPlain() {
        return notification == null;
    }

    boolean isFallback() {
        return fallback != null;
    }

    /** Releases the memory of a segment that is or was {@link State#PLAIN}. Called once. */
    public void releasePlain() {
        References holder = fallback;
        List<Slice> held = slices;
        slices = List.of();
        frames = List.of();
        if (holder != null) {
            holder.release();
        } else {
            for (Slice slice : held) {
                slice.chunk().release();
            }
        }
    }

    @Override
    public void forEach(RecordReceiver receiver) {
        RecordCursor cursor = new RecordCursor();
        if (frames.isEmpty()) {
            for (Slice slice : slices) {
                reset(cursor, slice);
                handOut(cursor, receiver);
            }
        } else {
            for (Frame frame : frames) {
                cursor.reset(frame);
                handOut(cursor, receiver);
            }
        }
    }

    private static void handOut(RecordCursor cursor, RecordReceiver receiver) {
        while (cursor.next()) {
            receiver.receive(cursor.timestamp(), cursor.key(), cursor.value(), cursor.headers());
        }
    }

    @Override
    public void delivered() {
        queue.delivered(this);
    }

    @Override
    public void failed(Throwable cause) {
        queue.refused(this, cause);
    }
}
