package dev.blobshuffle.flightdaemon.internal.server.read;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * A pool of direct buffers for frames and messages. The smallest buffer has 32 KiB. There are four
 * sizes per power of two, so a larger buffer exceeds the requested length by at most a quarter.
 * Buffers larger than 16 MiB are not pooled. When the pool is full, it drops a buffer of the size
 * that was unused for the longest time. Thread-safe: guarded by itself.
 */
public final class FrameBuffers {
    private static final int SMALLEST_POWER = 15;
    private static final int SMALLEST = 1 << SMALLEST_POWER;
    private static final int LARGEST_POWER = 24;
    private static final int STEPS = 4;
    private static final int SIZES = (LARGEST_POWER - SMALLEST_POWER) * STEPS + 1;
    private static final long MOST_KEPT = 64L << 20;

    private final ArrayDeque<ByteBuffer>[] free;

    /** The number of the last loan of each size. */
    private final long[] lastLent = new long[SIZES];

    private long loans;
    private long kept;

    @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no arrays of generic types.
    public FrameBuffers() {
        free = new ArrayDeque[SIZES];
        for (int i = 0; i < free.length; i++) {
            free[i] = new ArrayDeque<>();
        }
    }

    /** Lends a buffer whose limit is the length. */
    public ByteBuffer lend(int length) {
        int index = index(length);
        return index < SIZES ? ofSize(index).clear().limit(length) : ByteBuffer.allocateDirect(length);
    }

    private ByteBuffer ofSize(int index) {
        synchronized (this) {
            lastLent[index] = ++loans;
            ByteBuffer buffer = free[index].pollFirst();
            if (buffer != null) {
                kept -= buffer.capacity();
                return buffer;
            }
        }
        return ByteBuffer.allocateDirect(size(index));
    }

    /** Takes a buffer back. The caller must no longer use it. */
    synchronized void giveBack(ByteBuffer buffer) {
        int index = index(buffer.capacity());
        if (index >= SIZES || size(index) != buffer.capacity()) {
            return;
        }
        while (kept + buffer.capacity() > MOST_KEPT) {
            if (!dropOther(index)) {
                return;
            }
        }
        free[index].addFirst(buffer);
        kept += buffer.capacity();
    }

    /** Drops a buffer of the size that was unused for the longest time. */
    private boolean dropOther(int index) {
        int oldest = index;
        for (int i = 0; i < SIZES; i++) {
            if (!free[i].isEmpty() && lastLent[i] < lastLent[oldest]) {
                oldest = i;
            }
        }
        if (oldest == index) {
            return false;
        }
        kept -= free[oldest].removeLast().capacity();
        return true;
    }

    /** The index of the smallest size that fits a length. */
    private static int index(int length) {
        if (length <= SMALLEST) {
            return 0;
        }
        int power = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(length - 1);
        int step = (length - 1 >>> power - 2) & STEPS - 1;
        return (power - SMALLEST_POWER) * STEPS + step + 1;
    }

    private static int size(int index) {
        if (index == 0) {
            return SMALLEST;
        }
        int power = SMALLEST_POWER + (index - 1) / STEPS;
        int step = (index - 1) % STEPS + 1;
        return (1 << power) + step * (1 << power) / STEPS;
    }
}
