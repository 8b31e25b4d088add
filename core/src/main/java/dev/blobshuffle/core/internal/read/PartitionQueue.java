package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import java.util.ArrayDeque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one partition: segments and plain records, in order. Owned by the Debatcher's
 * thread.
 */
final class PartitionQueue<C> {
    private final ReadEngine engine;
    private final SharedReader reader;
    private final Partition partition;
    private final SectionOrder order;
    private final Runnable keyAnswered;

    /** {@link QueuedSegment} or {@link QueuedPlain}. */
    private final ArrayDeque<Object> items = new ArrayDeque<>();

    /** The segments without a fetch, in order. */
    private final ArrayDeque<QueuedSegment<C>> unfetched = new ArrayDeque<>();

    private boolean isPaused;
    private long pausedNanos;
    private long pausedAt;
    private boolean isEverOffered;
    private long lastOffset;
    private long undelivered;
    private long bytes;
    private int fetches;
    private long fetchedBytes;

    /**
     * @param reader the Debatcher's part in shared downloads
     * @param order the sections of the Debatcher
     * @param keyAnswered called when a key that a segment waits for is available, or its request
     *     has failed
     */
    PartitionQueue(
            ReadEngine engine, Partition partition, SharedReader reader, SectionOrder order, Runnable keyAnswered) {
        this.engine = engine;
        this.reader = reader;
        this.partition = partition;
        this.order = order;
        this.keyAnswered = keyAnswered;
    }

    /** A plain record in the queue. */
    private record QueuedPlain<C>(long offset, long bytes, C plain) {}

    /** Appends a segment. */
    void offer(long offset, Notification notification, int firstRecord, C carrier) {
        checkRises(offset);
        if (firstRecord < 0) {
            throw new IllegalArgumentException("Cannot start at record " + firstRecord + " of the segment at offset "
                    + offset + " of " + partition + ": records count from 0.");
        }
        QueuedSegment<C> segment = new QueuedSegment<>(this, offset, notification, firstRecord, carrier);
        BlobShuffleException refusal = engine.refusal(partition, offset, notification);
        if (refusal == null) {
            unfetched.add(segment);
            segment.enter();
        } else {
            segment.refuse(refusal);
        }
        items.add(segment);
        undelivered += notification.records() - segment.index();
        engine.queued(notification.records() - segment.index());
        bytes += notification.segmentLength();
    }

    /** Appends a plain record. */
    void offer(long offset, long recordBytes, C plain) {
        checkRises(offset);
        items.add(new QueuedPlain<>(offset, recordBytes, plain));
        undelivered++;
        bytes += recordBytes;
    }

    private void checkRises(long offset) {
        if (isEverOffered && offset <= lastOffset) {
            throw new IllegalArgumentException("Cannot queue offset " + offset + " of " + partition + " after offset "
                    + lastOffset + ": offsets rise. Drop the partition before a seek.");
        }
        isEverOffered = true;
        lastOffset = offset;
    }

    /**
     * Returns ready records within the quota: those of the head segment, or the plain records
     * before the next segment.
     *
     * @return whether what follows may be ready too
     */
    boolean handOut(DrainQuota quota, Debatcher.Sink<C> sink) {
        QueuedSegment<C> segment = headSegment();
        if (segment != null) {
            return segment.isReady() && handOutSegment(segment, quota, sink);
        }
        boolean isPlain = true;
        while (isPlain && quota.isOpen() && headSegment() == null) {
            isPlain = handOutPlain(quota, sink);
        }
        return isPlain;
    }

    /** Returns false if the segment has more records, but no bytes for them. */
    private boolean handOutSegment(QueuedSegment<C> segment, DrainQuota quota, Debatcher.Sink<C> sink) {
        int recordsBefore = quota.records();
        long bytesBefore = quota.bytes();
        int indexBefore = segment.index();
        try {
            segment.handOut(quota, sink);
        } finally {
            int records = quota.records() - recordsBefore;
            undelivered -= records;
            engine.delivered(records, quota.bytes() - bytesBefore);
        }
        if (segment.isTimed(indexBefore)) {
            engine.handedOut(segment.nanosHere());
        }
        if (!segment.isFinished()) {
            return false;
        }
        items.remove();
        bytes -= segment.notification().segmentLength();
        segment.leave();
        return true;
    }

    @SuppressWarnings("unchecked") // only this class adds items
    private boolean handOutPlain(DrainQuota quota, Debatcher.Sink<C> sink) {
        QueuedPlain<C> head = (QueuedPlain<C>) items.peek();
        if (head == null) {
            return false;
        }
        sink.plain(partition, head.offset, head.plain);
        items.remove();
        quota.handedOut(head.bytes);
        undelivered--;
        bytes -= head.bytes;
        return true;
    }

    /** Whether the head can be returned, or has failed. */
    boolean isReady() {
        QueuedSegment<C> segment = headSegment();
        return segment == null ? !items.isEmpty() : segment.isReady() || segment.failure() != null;
    }

    /** The head's failure, if any. The caller throws it. */
    @Nullable
    BlobShuffleException takeFailure() {
        QueuedSegment<C> segment = headSegment();
        if (segment == null || segment.failure() == null) {
            return null;
        }
        segment.thrown();
        return segment.failure();
    }

    boolean isHead(QueuedSegment<?> segment) {
        return items.peek() == segment;
    }

    /** The head, if it is a segment whose bytes must be fetched now. */
    @Nullable
    QueuedSegment<C> headToFetch() {
        QueuedSegment<C> segment = headSegment();
        return segment != null && segment.isIdle() ? segment : null;
    }

    /** Whether the head waits for its key. */
    boolean isAwaitingKey() {
        QueuedSegment<C> segment = headSegment();
        return segment != null && segment.isAwaitingKey();
    }

    /**
     * Requests a missing key.
     *
     * @return why the key is not available; null while the request is running
     */
    @Nullable
    BlobShuffleException awaitKey(String key) {
        return engine.awaitKey(key, keyAnswered);
    }

    /** Whether the head holds a piece in the reserve, or is reading one. */
    boolean holdsReserve() {
        QueuedSegment<C> segment = headSegment();
        return segment != null && segment.holdsReserve();
    }

    /** The head, if its decoder waits for memory. */
    @Nullable
    QueuedSegment<C> starvedHead() {
        QueuedSegment<C> segment = headSegment();
        return segment != null && segment.isStarved() ? segment : null;
    }

    /** Drops the decoded bytes of the head. */
    void dropDecoded() {
        QueuedSegment<C> segment = headSegment();
        if (segment != null) {
            segment.dropDecoded();
        }
    }

    /** The first segment without a fetch, if its key is available. */
    @Nullable
    QueuedSegment<C> nextToFetch() {
        QueuedSegment<C> next = unfetched.peek();
        return next != null && next.isIdle() ? next : null;
    }

    /**
     * Records that a fetch is planned for a segment from {@link #headToFetch} or {@link
     * #nextToFetch}.
     */
    void planned(QueuedSegment<C> segment) {
        if (unfetched.peek() == segment) {
            unfetched.remove();
        }
    }

    /** The Debatcher's part in shared downloads. */
    SharedReader reader() {
        return reader;
    }

    /** The sections of the Debatcher. */
    SectionOrder order() {
        return order;
    }

    /** Counts the segments that are being fetched. */
    void countFetches(int change) {
        fetches += change;
    }

    /** Counts the bytes that are being fetched, or are here. */
    void countFetchedBytes(long change) {
        fetchedBytes += change;
    }

    /** Forgets everything queued. */
    void clear() {
        unfetched.clear();
        for (Object item : items) {
            if (item instanceof QueuedSegment<?> segment) {
                segment.leave();
                engine.queued(segment.index() - segment.notification().records());
            }
        }
        items.clear();
        undelivered = 0;
        bytes = 0;
    }

    /** Position of the next record; empty if nothing is queued. */
    Optional<Debatcher.Position> head() {
        Object head = items.peek();
        if (head instanceof QueuedSegment<?> segment) {
            return Optional.of(new Debatcher.Position(segment.offset(), segment.index()));
        }
        return head instanceof QueuedPlain<?> plain
                ? Optional.of(new Debatcher.Position(plain.offset, 0))
                : Optional.empty();
    }

    @SuppressWarnings("unchecked") // only this class adds items
    private @Nullable QueuedSegment<C> headSegment() {
        return items.peek() instanceof QueuedSegment<?> segment ? (QueuedSegment<C>) segment : null;
    }

    void pause(boolean paused) {
        if (paused != isPaused) {
            long now = engine.time().nanos();
            pausedNanos += paused ? 0 : now - pausedAt;
            pausedAt = now;
            isPaused = paused;
        }
    }

    /** A clock that stops while the partition is paused. */
    long unpausedNanos() {
        return (isPaused ? pausedAt : engine.time().nanos()) - pausedNanos;
    }

    boolean isPaused() {
        return isPaused;
    }

    /** Segments that are being fetched. */
    int fetches() {
        return fetches;
    }

    /** Bytes that are being fetched, or are here. */
    long fetchedBytes() {
        return fetchedBytes;
    }

    Partition partition() {
        return partition;
    }

    ReadEngine engine() {
        return engine;
    }

    long undelivered() {
        return undelivered;
    }

    int size() {
        return items.size();
    }

    long bytes() {
        return bytes;
    }
}
