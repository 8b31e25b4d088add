package dev.blobshuffle.core.store;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The arrays that blobs are read into, kept for the next reads: a fresh array is cleared before it is filled, and one of this size is a burden to the garbage collector. What
 * is kept is bounded. Bytes that nobody closes are collected like any others, so forgetting them costs no memory for good. Thread-safe.
 */
final class ReadBuffers {
    /** Most bytes that are kept while nobody reads: a few reads of the usual size, out of blobs of the usual size. */
    static final long USUAL_KEPT = 32L << 20;

    /** Smaller reads get an array of their own, which costs little. */
    private static final int SMALLEST = 256 << 10;

    /** Lengths are rounded up to one of this many between a power of two and the next, so that reads of about the same length share arrays. */
    private static final int STEPS_SHIFT = 2;

    private final long mostKept;

    /** What was given back last comes first: the processor's cache may still hold it. Guarded by this, as what follows. */
    private final Deque<byte[]> free = new ArrayDeque<>();

    private long kept;

    /** @param mostKept most bytes that are kept while nobody uses them */
    ReadBuffers(long mostKept) {
        this.mostKept = mostKept;
    }

    /** Memory for a read, on loan to its reader. What it holds is left over from other reads: whoever lends it on fills it first. */
    BlobBytes lend(int length) {
        if (length < SMALLEST) {
            return BlobBytes.of(ByteBuffer.allocate(length));
        }
        int size = rounded(length);
        byte[] array = take(size);
        return new Loan(array == null ? new byte[size] : array, length);
    }

    private static int rounded(int length) {
        int step = Integer.highestOneBit(length - 1) >>> STEPS_SHIFT;
        long size = ((long) length + step - 1) / step * step;
        return size > Integer.MAX_VALUE - 8 ? length : (int) size;
    }

    private synchronized byte @Nullable [] take(int size) {
        for (Iterator<byte[]> arrays = free.iterator(); arrays.hasNext(); ) {
            byte[] array = arrays.next();
            if (array.length == size) {
                arrays.remove();
                kept -= size;
                return array;
            }
        }
        return null;
    }

    private synchronized void giveBack(byte[] array) {
        if (array.length > mostKept) {
            return;
        }
        free.addFirst(array);
        kept += array.length;
        while (kept > mostKept) {
            kept -= free.removeLast().length;
        }
    }

    /** Bytes kept while nobody uses them. */
    synchronized long kept() {
        return kept;
    }

    /** Keeps nothing any more of what was given back so far. */
    synchronized void clear() {
        free.clear();
        kept = 0;
    }

    private final class Loan implements BlobBytes {
        private final byte[] array;
        private final ByteBuffer buffer;
        private final AtomicBoolean isOpen = new AtomicBoolean(true);

        Loan(byte[] array, int length) {
            this.array = array;
            buffer = ByteBuffer.wrap(array, 0, length).slice();
        }

        @Override
        public ByteBuffer buffer() {
            if (!isOpen.get()) {
                throw new IllegalStateException("Cannot read bytes that were given back: others read into them now.");
            }
            return buffer;
        }

        @Override
        public void close() {
            if (isOpen.compareAndSet(true, false)) {
                giveBack(array);
            }
        }
    }
}
