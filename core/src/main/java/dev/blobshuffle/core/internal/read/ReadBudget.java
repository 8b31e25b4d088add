package dev.blobshuffle.core.internal.read;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the bytes of blobs that all readers of an instance hold at once. If the budget is used up,
 * the heads of queues are read in small pieces from a reserve, so that no partition starves. All
 * readers together take a quarter of the budget from the reserve. Beyond that, each may take one
 * piece, so that no reader waits for another. Thread-safe.
 */
final class ReadBudget {
    /**
     * Sixteen frames of the usual size. For such a piece, the fixed cost of a request no longer
     * dominates.
     */
    private static final long LARGEST_PIECE = 1 << 20;

    private static final long SMALLEST_PIECE = 128 << 10;
    private static final long LARGEST_READ = 64L << 20;
    private static final int RESERVE_SHARE = 4;

    private final long limit;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong reserved = new AtomicLong();

    /**
     * An unused budget.
     *
     * @param limit the most bytes that may be held outside the reserve, 1 or more
     */
    ReadBudget(long limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("Cannot make a read budget of " + limit + " bytes. Give 1 or more.");
        }
        this.limit = limit;
    }

    /** Takes bytes of the budget if that many are free. */
    boolean tryAcquire(long bytes) {
        long now = used.get();
        while (bytes <= limit - now) {
            if (used.compareAndSet(now, now + bytes)) {
                return true;
            }
            now = used.get();
        }
        return false;
    }

    /**
     * Takes bytes of the budget even if they are not free, for a reader that could not continue
     * otherwise.
     */
    void acquire(long bytes) {
        used.addAndGet(bytes);
    }

    /** Returns bytes to the budget. */
    void release(long bytes) {
        used.addAndGet(-bytes);
    }

    /** Takes bytes of the reserve if that many are free, or if the reserve is unused. */
    boolean tryAcquireReserve(long bytes) {
        long most = Math.max(1, limit / RESERVE_SHARE);
        long now = reserved.get();
        while (now == 0 || bytes <= most - now) {
            if (reserved.compareAndSet(now, now + bytes)) {
                return true;
            }
            now = reserved.get();
        }
        return false;
    }

    /**
     * Takes bytes of the reserve even if it is used up, for a reader that holds none of it and
     * could not continue otherwise.
     */
    void acquireReserve(long bytes) {
        reserved.addAndGet(bytes);
    }

    /** Returns bytes to the reserve. */
    void releaseReserve(long bytes) {
        reserved.addAndGet(-bytes);
    }

    /**
     * The most bytes that one read takes from the budget. It is a fraction of the budget, so that
     * several reads run at once.
     */
    long largestRead() {
        return Math.max(SMALLEST_PIECE, Math.min(LARGEST_READ, limit / 4));
    }

    /**
     * The most bytes of the budget for shared downloads. Several readers leave a quarter to those
     * that cannot continue otherwise.
     */
    long mostShared(int readers) {
        return readers == 1 ? limit : limit - limit / 4;
    }

    /** The bytes of the budget that one of a number of readers may hold with what it reads next. */
    long share(int readers) {
        return mostShared(readers) / readers;
    }

    /**
     * The size of a piece from the reserve, in bytes, if each of a number of partitions may need
     * one. A single frame that is larger is still read whole.
     */
    long pieceSize(int partitions) {
        return Math.max(SMALLEST_PIECE, Math.min(LARGEST_PIECE, limit / (2 * RESERVE_SHARE) / Math.max(1, partitions)));
    }

    /** Bytes of the budget held now. */
    long used() {
        return used.get();
    }

    /** Bytes of the reserve held now. */
    long reserved() {
        return reserved.get();
    }
}
