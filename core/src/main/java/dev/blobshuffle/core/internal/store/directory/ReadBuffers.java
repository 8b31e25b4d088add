package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.store.BlobBytes;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Recycles the arrays that blobs are read into. The JVM zeroes a new array before it is filled, and
 * arrays of this size burden the garbage collector. The kept bytes are bounded. If a caller forgets
 * to close bytes, the garbage collector frees them, so they do not leak. Thread-safe.
 */
final class ReadBuffers {
    /** Most bytes that are kept unused: a few reads of usual size from blobs of usual size. */
    static final long USUAL_KEPT = 32L << 20;

    /** Smaller reads get a new array, which costs little. */
    private static final int SMALLEST = 256 << 10;

    /**
     * Number of length classes between one power of two and the next. Lengths are rounded up to a
     * class, so that reads of similar length share arrays.
     */
    private static final int STEPS_SHIFT = 2;

    private final long mostKept;

    /**
     * The array released last comes first, because the processor's cache may still hold it. Guarded
     * by this, as are the fields below.
     */
    private final Deque<byte[]> free = new ArrayDeque<>();

    private long kept;

    /** @param mostKept most unused bytes that are kept */
    ReadBuffers(long mostKept) {
        this.mostKept = mostKept;
    }

    /**
     * Memory for a read, on loan to its reader. It holds bytes of earlier reads, so the caller
     * fills it before passing it on.
     */
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

    /** Unused bytes that are kept. */
    synchronized long kept() {
        return kept;
    }

    /** Drops all kept arrays. */
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
