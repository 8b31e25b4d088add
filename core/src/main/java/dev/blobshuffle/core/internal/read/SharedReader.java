package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A Debatcher, as one of those that share downloads. Others wait a moment for it before they drop
 * bytes that it will read, so that groups that are far behind stay together. If it does not come in
 * that moment, they leave it behind, and do not wait for it again for a while, unless it catches
 * up.
 *
 * <p>The methods of Debatchers are for its own thread. The fields are guarded by the {@link
 * SharedReads}.
 */
final class SharedReader implements AutoCloseable {
    /** How long a reader without room waits for the others. */
    private static final long WAIT_NANOS = Duration.ofMillis(500).toNanos();

    /** How long others do not wait for a reader that they left behind. */
    private static final long ALONE_NANOS = Duration.ofMinutes(1).toNanos();

    private final SharedReads reads;
    private boolean isLeftBehind;
    private long leftBehindAt;

    /** Whether others left this reader no room in this round. */
    private boolean isWaiting;

    /** Whether they left it none in the round before. */
    private boolean wasWaiting;

    private long waitingSince;

    SharedReader(SharedReads reads) {
        this.reads = reads;
    }

    /** Records that this Debatcher will read a segment from a place on. */
    void want(Notification of, long from) {
        reads.want(this, of, from);
    }

    /** Records that this Debatcher has asked for the rest of the segment, or no longer wants it. */
    void unwant(Notification of, long from) {
        reads.unwant(this, of, from);
    }

    /**
     * Reads a range that a running or held download covers, without memory of its own.
     *
     * @param holds the bytes that this Debatcher holds
     * @return empty if there is no such download, or this Debatcher holds its share
     */
    Optional<CompletionStage<BlobBytes>> join(BlobId blob, BlobRange range, long holds) {
        return reads.hasShare(range, holds) ? reads.join(this, blob, range) : Optional.empty();
    }

    /**
     * Plans the download of a range with its wanted neighbours, and a read of the range from it.
     *
     * @param holds the bytes that this Debatcher holds
     * @return empty if the budget, or this Debatcher's share of it, has no room now
     */
    Optional<SharedReads.Load> load(BlobId blob, BlobRange range, long holds) {
        return reads.load(this, blob, range, holds);
    }

    /** Called before this Debatcher plans its reads. */
    void beginRound() {
        synchronized (reads) {
            wasWaiting = isWaiting;
            isWaiting = false;
        }
    }

    /** Whether others leave this Debatcher no room, for less than half a second. */
    boolean isWaiting(long nowNanos) {
        synchronized (reads) {
            return isWaiting && nowNanos - waitingSince < WAIT_NANOS;
        }
    }

    /** Whether others wait for this reader. */
    boolean keepsUp(long nowNanos) {
        return !isLeftBehind || nowNanos - leftBehindAt >= ALONE_NANOS;
    }

    /** Whether this reader has waited long enough for others. */
    boolean hasWaited(long nowNanos) {
        return (wasWaiting || isWaiting) && nowNanos - waitingSince >= WAIT_NANOS;
    }

    /** Lets others go on without this reader. */
    void leaveBehind(long nowNanos) {
        isLeftBehind = true;
        leftBehindAt = nowNanos;
    }

    /** Records that this reader is where another one is. */
    void hasCaughtUp() {
        isLeftBehind = false;
    }

    /** Records that others leave no room. */
    void hasNoRoom(long nowNanos) {
        waitingSince = wasWaiting || isWaiting ? waitingSince : nowNanos;
        isWaiting = true;
    }

    /** Records that this reader has room: it does not wait. */
    void hasRoom() {
        wasWaiting = false;
        isWaiting = false;
    }

    @Override
    public void close() {
        reads.closed();
    }
}
