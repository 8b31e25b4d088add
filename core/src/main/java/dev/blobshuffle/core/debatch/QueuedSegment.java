package dev.blobshuffle.core.debatch;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.format.Notification;
import dev.blobshuffle.core.format.SegmentReader;
import dev.blobshuffle.core.shuffle.Debatcher;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A segment in a partition's queue: from its notification, over the bytes fetched for it (at once, or piece by piece), to its last record.
 *
 * <pre>
 *   IDLE ──fetch──▶ FETCHING ──arrival──▶ READY ──last record──▶ (removed)
 *    ▲                 │                    │
 *    │                 └─lasting failure─▶ FAILED ◀─corrupt, again and again
 *    └──────────────── more bytes needed, or corrupt: read afresh
 * </pre>
 *
 * <p>Owned by the Debatcher's thread.
 */
final class QueuedSegment<C> {
    private static final Logger LOG = LoggerFactory.getLogger(QueuedSegment.class);

    /** A byte that flipped on the way is gone with the next read; a blob that is corrupt stays so. */
    private static final int FRESH_READS = 3;

    /** Multiples of it, by one, are spread evenly: the golden ratio. */
    private static final double EVEN = 0.6180339887498949;

    /** What the segment waits for. */
    private enum State {
        IDLE,
        FETCHING,
        READY,
        FAILED
    }

    private final PartitionQueue<C> queue;
    private final long offset;
    private final Notification notification;
    private final C carrier;
    private final long arrivedNanos;

    /** The record whose time is taken. */
    private final int timed;

    private State state = State.IDLE;
    private int index;
    private int corruptReads;
    private @Nullable SegmentReader reader;
    private @Nullable Fetch fetch;
    private @Nullable BlobShuffleException failure;

    /** Start and length of the bytes being fetched, in the segment. */
    private long fetchStart;

    private long fetchLength;

    /** Whether the reader has taken the fetched bytes. */
    private boolean isFed;

    /** Whether the reader stands on the record at the index, which is not handed out yet. */
    private boolean isStanding;

    /** Whether the decoder may take memory beyond the budget, once. */
    private boolean mayExceedBudget;

    QueuedSegment(PartitionQueue<C> queue, long offset, Notification notification, int firstRecord, C carrier) {
        this.queue = queue;
        this.offset = offset;
        this.notification = notification;
        this.index = Math.min(firstRecord, notification.records() - 1);
        this.carrier = carrier;
        arrivedNanos = queue.unpausedNanos();
        timed = index + (int) (offset * EVEN % 1 * (notification.records() - index));
    }

    /** Hands out records, in order, while there are bytes. */
    void handOut(Turn turn, Debatcher.Sink<C> sink) {
        int count = notification.records();
        while (turn.isOpen() && index < count && advance()) {
            SegmentReader at = reader();
            byte[] key = at.key();
            byte[] value = at.value();
            sink.record(queue.partition(), offset, index, count, at.timestamp(), key, value, at.headers(), carrier);
            isStanding = false;
            index++;
            turn.handedOut((key == null ? 0 : key.length) + (value == null ? 0 : value.length));
        }
    }

    /** Whether the record whose time is taken is among those that were handed out since an index. */
    boolean isTimed(int since) {
        return since <= timed && timed < index;
    }

    /** How long its partition was not paused since the notification arrived, nanoseconds. */
    long nanosHere() {
        return queue.unpausedNanos() - arrivedNanos;
    }

    /** Steps to the record at the index. False when bytes are missing. */
    private boolean advance() {
        if (isStanding) {
            return true;
        }
        try {
            SegmentReader at = reader();
            if (!isFed && fetch != null) {
                at.input(fetch.view(notification.segmentOffset() + fetchStart, fetchLength));
                isFed = true;
            }
            isStanding = at.next();
            if (!isStanding && !at.isStarved()) {
                checkUnfinished(at);
                release();
                state = State.IDLE;
            }
            return isStanding;
        } catch (BlobCorrupt e) {
            readAfresh(e);
            return false;
        }
    }

    private void checkUnfinished(SegmentReader at) {
        if (at.isFinished()) {
            throw new BlobCorrupt("Cannot read a segment of blob " + notification.blob() + ": it ends at record "
                    + index + " of " + notification.records()
                    + ". Check that nothing but BlobShuffle writes to the store and the topic.");
        }
    }

    private void readAfresh(BlobCorrupt corrupt) {
        release();
        dropReader();
        queue.engine().corruptRead();
        if (++corruptReads > FRESH_READS) {
            state = State.FAILED;
            failure = corrupt;
        } else {
            LOG.warn(
                    "Reading a segment of blob {} afresh: its bytes did not match their checksum.",
                    notification.blob());
            state = State.IDLE;
        }
    }

    /** Takes note that a fetch for this segment starts. */
    void fetching(Fetch started) {
        state = State.FETCHING;
        fetch = started;
        isFed = false;
        queue.countFetches(1);
    }

    /** Takes what the fetch brought. */
    void arrived() {
        Fetch ended = fetch;
        if (ended == null || state != State.FETCHING) {
            return;
        }
        queue.countFetches(-1);
        state = State.READY;
        BlobShuffleException lasting = ended.failure();
        if (lasting instanceof BlobCorrupt corrupt) {
            readAfresh(corrupt);
        } else if (lasting != null) {
            fail(lasting);
        }
    }

    /** Fails for good; thrown when the segment is at the head. */
    void fail(BlobShuffleException lasting) {
        release();
        dropReader();
        state = State.FAILED;
        failure = lasting;
    }

    /** Forgets the bytes and any fetch under way. */
    void drop() {
        if (state == State.FETCHING) {
            queue.countFetches(-1);
        }
        release();
        dropReader();
        state = State.IDLE;
    }

    /** Whether the decoder waits for memory. */
    boolean isStarved() {
        return state == State.READY && reader != null && reader.isStarved();
    }

    /** Lets the decoder take memory beyond the budget: nothing else makes progress. */
    void exceedBudget() {
        mayExceedBudget = true;
    }

    /** Drops decoded memory; a segment in the middle of a frame is read again when it is its turn. */
    void dropDecoded() {
        SegmentReader at = reader;
        if (at == null || at.heldBytes() == 0) {
            return;
        }
        if (!isStanding) {
            queue.engine().budget().release(at.trim());
        }
        if (at.heldBytes() > 0) {
            drop();
        }
    }

    private boolean takeMemory(long bytes) {
        if (!queue.engine().budget().tryAcquire(bytes)) {
            if (!mayExceedBudget) {
                return false;
            }
            mayExceedBudget = false;
            queue.engine().budget().acquire(bytes);
        }
        return true;
    }

    private void dropReader() {
        SegmentReader held = reader;
        reader = null;
        isStanding = false;
        mayExceedBudget = false;
        if (held != null) {
            queue.engine().budget().release(held.heldBytes());
        }
    }

    private void release() {
        Fetch held = fetch;
        fetch = null;
        if (held != null) {
            held.leave(this);
        }
    }

    /** Plans the next read: where the decoder stopped, up to a length, but at least what it needs to go on. Returns the length in bytes. */
    long planRead(long atMost) {
        fetchStart = 0;
        long least = 1;
        if (reader != null || index > 0) {
            fetchStart = reader().position();
            least = reader().wanted();
        }
        fetchLength = Math.max(least, Math.min(atMost, notification.segmentLength() - fetchStart));
        return fetchLength;
    }

    /** Start of the planned read, bytes of the blob. */
    long readOffset() {
        return notification.segmentOffset() + fetchStart;
    }

    /** Length of the planned read, bytes. */
    long readLength() {
        return fetchLength;
    }

    /** Whether bytes came that were corrupt: the next read is for this segment alone. */
    boolean isReadAfresh() {
        return corruptReads > 0;
    }

    private SegmentReader reader() {
        SegmentReader at = reader;
        if (at == null) {
            at = new SegmentReader(
                    notification, queue.partition(), queue.engine().keys(), this::takeMemory);
            at.skip(index);
            reader = at;
        }
        return at;
    }

    Notification notification() {
        return notification;
    }

    long offset() {
        return offset;
    }

    int index() {
        return index;
    }

    boolean holdsReserve() {
        Fetch held = fetch;
        return held != null && held.isFromReserve();
    }

    boolean isIdle() {
        return state == State.IDLE;
    }

    boolean isReady() {
        return state == State.READY;
    }

    boolean isFinished() {
        return index == notification.records();
    }

    @Nullable
    BlobShuffleException failure() {
        return failure;
    }
}
