package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.record.SegmentReader;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A segment in a partition's queue, from its notification to its last record. Its bytes are fetched
 * at once or piece by piece.
 *
 * <pre>
 *   IDLE ──fetch──▶ FETCHING ──arrival──▶ READY ──last record──▶ (removed)
 *    ▲                 │                    │
 *    │                 └─lasting failure─▶ FAILED ◀─corrupt, again and again
 *    │                                      │
 *    ├──────────── thrown, and a second old ┘   the blob may have been restored
 *    └──────────── more bytes needed; or corrupt; or failed before it was the head: read afresh
 *
 *   IDLE ──the head's key cannot be had──▶ FAILED. Until its key is here, no segment is fetched.
 *
 *   REFUSED: another store's, or its codec is not here
 * </pre>
 *
 * <p>Owned by the Debatcher's thread.
 */
final class QueuedSegment<C> {
    private static final Logger LOG = LoggerFactory.getLogger(QueuedSegment.class);

    /**
     * The number of fresh reads of corrupt bytes. A byte that flipped in transit is correct in the
     * next read; a corrupt blob stays corrupt.
     */
    private static final int FRESH_READS = 3;

    /**
     * The age of a failure at which the store is asked again. Until then each drain throws the
     * failure. This limits the requests of an application that keeps polling.
     */
    private static final long AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

    /** The golden ratio. The fractional parts of its multiples are spread evenly. */
    private static final double EVEN = 0.6180339887498949;

    /** The state of a segment in the queue. */
    private enum State {
        IDLE,
        FETCHING,
        READY,
        FAILED,
        REFUSED
    }

    private final PartitionQueue<C> queue;
    private final long offset;
    private final Notification notification;
    private final C carrier;
    private final long arrivedNanos;

    /** The index of the record whose latency is measured. */
    private final int timed;

    private State state = State.IDLE;
    private int index;
    private int corruptReads;
    private @Nullable SegmentReader reader;
    private @Nullable Fetch fetch;
    private @Nullable BlobShuffleException failure;
    private long failedAt;

    /** Whether the failure was thrown. Only then may it be cleared. */
    private boolean isThrown;

    /** Whether the segment has failed as the head. */
    private boolean hasFailed;

    /**
     * Whether the last read returned wrong bytes or no bytes. The next read bypasses the caches.
     */
    private boolean isSuspect;

    /** Start and length of the bytes being fetched, in the segment. */
    private long fetchStart;

    private long fetchLength;

    /** Start of the bytes that this segment will still ask for, in the segment; -1 for none. */
    private long wantedFrom = -1;

    /** The number of its section in {@link SectionOrder}; -1 if the segment is refused. */
    private long sectionNumber = -1;

    /** Whether the next fetch waits for the key. */
    private boolean isAwaitingKey;

    /** Whether the reader has taken the fetched bytes. */
    private boolean isFed;

    /** Whether the reader is at the record of the index, which is not returned yet. */
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

    /** Returns records, in order, as far as their bytes are available. */
    void handOut(DrainQuota quota, Debatcher.Sink<C> sink) {
        int count = notification.records();
        while (quota.isOpen() && index < count && advance()) {
            SegmentReader at = reader();
            long bytes = (long) at.keyLength() + at.valueLength();
            sink.record(queue.partition(), offset, index, count, at, carrier);
            isStanding = false;
            index++;
            quota.handedOut(bytes);
        }
    }

    /** Whether the measured record is among those returned since an index. */
    boolean isTimed(int since) {
        return since <= timed && timed < index;
    }

    /** Time since the notification arrived, without pauses of the partition, nanoseconds. */
    long nanosHere() {
        return queue.unpausedNanos() - arrivedNanos;
    }

    /** Steps to the record of the index. Returns false if bytes are missing. */
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
        } catch (BlobCorruptException e) {
            readAfresh(e);
            return false;
        } catch (InvalidSettingsException | StoreUnavailableException e) {
            drop(); // The key was withdrawn after the read began; the next read waits for it.
            return false;
        }
    }

    private void checkUnfinished(SegmentReader at) {
        if (at.isFinished()) {
            throw new BlobCorruptException(
                    "Cannot read a segment of blob " + notification.blob() + ": it ends at record "
                            + index + " of " + notification.records()
                            + ". Check that nothing but BlobShuffle writes to the store and the topic.");
        }
    }

    private void readAfresh(BlobCorruptException corrupt) {
        release();
        dropReader();
        isSuspect = true;
        queue.engine().corruptRead();
        if (++corruptReads > FRESH_READS) {
            corruptReads = 0;
            fail(corrupt);
        } else {
            LOG.warn(
                    "Reading a segment of blob {} afresh: its bytes did not match their checksum.",
                    notification.blob());
            state = State.IDLE;
        }
    }

    /** Records that a fetch for this segment starts. */
    void fetching(Fetch started) {
        state = State.FETCHING;
        fetch = started;
        isFed = false;
        queue.countFetches(1);
        queue.countFetchedBytes(fetchLength);
        want(fetchStart + fetchLength);
    }

    /** Called when the segment is queued, unless it is refused. */
    void enter() {
        sectionNumber = queue.order().enter(SharedSection.Key.of(notification));
        want(0);
    }

    /** Called when the segment leaves the queue. */
    void leave() {
        drop();
        if (sectionNumber >= 0) {
            queue.order().leave(SharedSection.Key.of(notification));
        }
    }

    /** The place of its section in the order in which the Debatcher reads. */
    long sectionNumber() {
        return sectionNumber;
    }

    /** Lets other Debatchers' downloads include the bytes of this segment from a place on. */
    void want(long from) {
        long before = wantedFrom;
        wantedFrom = from < notification.segmentLength() ? from : -1;
        if (wantedFrom >= 0) {
            queue.reader().want(notification, wantedFrom);
        }
        if (before >= 0) {
            queue.reader().unwant(notification, before);
        }
    }

    /** Takes the bytes or the failure of the fetch. */
    void arrived() {
        Fetch ended = fetch;
        if (ended == null || state != State.FETCHING) {
            return;
        }
        queue.countFetches(-1);
        state = State.READY;
        BlobShuffleException lasting = ended.failure();
        if (lasting instanceof BlobCorruptException corrupt) {
            readAfresh(corrupt);
        } else if (lasting != null) {
            fail(lasting);
        }
    }

    /**
     * Records a failure. The head throws it. Any other segment is read again when it becomes the
     * head, because the blob may be available by then.
     */
    private void fail(BlobShuffleException lasting) {
        release();
        dropReader();
        isSuspect = true;
        if (!queue.isHead(this)) {
            state = State.IDLE;
            return;
        }
        failLater(lasting);
        hasFailed = true;
    }

    /** Stores a failure, which a drain throws. */
    private void failLater(BlobShuffleException lasting) {
        state = State.FAILED;
        failure = lasting;
        failedAt = queue.engine().time().nanos();
        isThrown = false;
    }

    /**
     * Marks the segment as unreadable for this instance. The reason is thrown when the segment is
     * at the head.
     */
    void refuse(BlobShuffleException reason) {
        state = State.REFUSED;
        failure = reason;
    }

    /** Records that the failure is thrown. */
    void thrown() {
        isThrown = true;
    }

    /**
     * Whether the segment has failed as the head before. A fetch then does not retry a missing
     * blob.
     */
    boolean hasFailed() {
        return hasFailed;
    }

    /** Drops the bytes and any running fetch. */
    void drop() {
        if (state == State.FETCHING) {
            queue.countFetches(-1);
        }
        release();
        dropReader();
        want(notification.segmentLength());
        state = State.IDLE;
    }

    /** Whether the decoder waits for memory. */
    boolean isStarved() {
        return state == State.READY && reader != null && reader.isStarved();
    }

    /** Lets the decoder take memory beyond the budget, because nothing else makes progress. */
    void exceedBudget() {
        mayExceedBudget = true;
    }

    /** Drops decoded memory. A segment in the middle of a frame is read again in its turn. */
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
            queue.countFetchedBytes(-fetchLength);
            held.leave(this);
        }
    }

    /**
     * Plans the next read. It starts where the decoder stopped, and is at most a given length, but
     * at least what the decoder needs to continue. Returns the length in bytes.
     */
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

    /**
     * Whether the last read returned nothing usable. The next read is then for this segment alone
     * and bypasses the caches.
     */
    boolean isReadAfresh() {
        return isSuspect;
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

    /**
     * Whether its next bytes must be fetched, and its key is available. Clears an old failure that
     * was thrown.
     */
    boolean isIdle() {
        if (state == State.FAILED && isThrown && queue.engine().time().nanos() - failedAt >= AGAIN_NANOS) {
            state = State.IDLE;
            failure = null;
        }
        return state == State.IDLE && hasKey();
    }

    /**
     * Whether the key is available. Requests a missing key. If the request fails, the head fails.
     */
    private boolean hasKey() {
        Optional<String> key = notification.key();
        isAwaitingKey = key.isPresent() && !queue.engine().isHere(key.get());
        if (!isAwaitingKey) {
            return true;
        }
        BlobShuffleException refusal = queue.awaitKey(key.get());
        if (refusal != null && queue.isHead(this)) {
            isAwaitingKey = false;
            failLater(refusal);
        }
        return false;
    }

    boolean isAwaitingKey() {
        return state == State.IDLE && isAwaitingKey;
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
