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
import org.jspecify.annotations.Nullable;

/**
 * The sealed records of one lane for one partition, from the cut until the channel has acknowledged
 * them.
 *
 * <pre>
 *   WAITING ──blob durable──▶ STORED ─┐
 *      │  └──inline, fallback──▶ PLAIN ┴──sent──▶ SENT ──acknowledged──▶ DELIVERED
 *      └────── (any of these) ──lane failed or discarded──▶ DROPPED
 * </pre>
 *
 * <p>Threads: the state and what it implies are guarded by the monitor of the
 * {@link DeliveryQueue}; the records are read, and compressed in place, by one thread at a time: a
 * worker of the upload, then the thread that sends them plain.
 */
public final class Segment implements Channel.Entry, Channel.SegmentRecords, Channel.Delivery {
    /** Where a segment is on its way. */
    enum State {
        /** In memory, its blob not durable. */
        WAITING,
        /** In a durable blob; the notification may go. */
        STORED,
        /** To be sent as plain records, when it is due. */
        PLAIN,
        /** Given to the channel. */
        SENT,
        /** Acknowledged by the channel. */
        DELIVERED,
        /** Given up. */
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
    private long filledNanos;
    private long predictedNanos;
    private long sentNanos;

    /**
     * A segment that waits for its blob.
     *
     * @param queue of its lane
     * @param zone of its readers
     * @param cut its records, whose memory is the segment's from now on
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

    /** Of its lane. */
    public DeliveryQueue queue() {
        return queue;
    }

    @Override
    public Partition partition() {
        return partition;
    }

    /** Of its readers. */
    public Zone zone() {
        return zone;
    }

    /** Bytes as appended, before compression. */
    public long bytes() {
        return bytes;
    }

    /** When it was cut. */
    public long sealedNanos() {
        return sealedNanos;
    }

    /** The batch took this long from its first record to its seal. By the sealing thread. */
    public void filledFor(long nanos) {
        filledNanos = nanos;
    }

    /** The segment's latency is to be compared with a p95 in nanoseconds. By the sealing thread. */
    public void predicted(long nanos) {
        predictedNanos = nanos;
    }

    /** The p95 to compare with, nanoseconds; 0: none. */
    public long predictedNanos() {
        return predictedNanos;
    }

    /** How long the batch filled, nanoseconds; 0 if nobody saw its first record. */
    public long filledNanos() {
        return filledNanos;
    }

    /** The records; empty once the blob is durable. */
    public List<Slice> slices() {
        return slices;
    }

    @Override
    public int count() {
        return records;
    }

    /** Length of the largest slice, bytes: no record is larger. */
    public int largestSlice() {
        int largest = 0;
        for (Slice slice : slices) {
            largest = Math.max(largest, slice.length());
        }
        return largest;
    }

    /**
     * The segment as it goes into a blob: compresses and encrypts the records in place. Once, by a
     * worker.
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

    /** Where the log's writer noticed a cut too late to restart them. */
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

    /** The blob is durable. Under the queue's monitor. */
    void toStored(Notification reference) {
        state = State.STORED;
        notification = reference;
        slices = List.of();
        frames = List.of();
    }

    /**
     * The records go through the channel. Under the queue's monitor.
     *
     * @param holder the references to the blob's memory, one for this segment; null: the
     *     segment's slices do
     */
    void toPlain(@Nullable References holder) {
        state = State.PLAIN;
        fallback = holder;
    }

    /** Plain records may go now. Under the queue's monitor. */
    void toDue() {
        isDue = true;
    }

    /** It is about to be given to the channel. Under the queue's monitor. */
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
    public boolean isTooLate() {
        return queue.isTooLate(this);
    }

    boolean isPlain() {
        return notification == null;
    }

    boolean isFallback() {
        return fallback != null;
    }

    /** Gives back the memory of a segment that is or was {@link State#PLAIN}. Once. */
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
