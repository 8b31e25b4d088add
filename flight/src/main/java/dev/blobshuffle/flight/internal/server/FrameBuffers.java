package dev.blobshuffle.flight.internal.server;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Direct buffers for frames, used again. Frames have about 4 MiB or much less; larger ones get a
 * buffer of their own. Thread-safe: guarded by itself.
 */
final class FrameBuffers {
    private static final int[] SIZES = {64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, (4 << 20) + (256 << 10)};
    private static final long MOST_KEPT = 64L << 20;

    private final ArrayDeque<ByteBuffer>[] free;
    private long kept;

    @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no arrays of generic types.
    FrameBuffers() {
        free = new ArrayDeque[SIZES.length];
        for (int i = 0; i < free.length; i++) {
            free[i] = new ArrayDeque<>();
        }
    }

    /** A buffer with a limit. */
    ByteBuffer lend(int length) {
        for (int i = 0; i < SIZES.length; i++) {
            if (length <= SIZES[i]) {
                return ofSize(i).clear().limit(length);
            }
        }
        return ByteBuffer.allocateDirect(length);
    }

    private ByteBuffer ofSize(int size) {
        synchronized (this) {
            ByteBuffer buffer = free[size].pollFirst();
            if (buffer != null) {
                kept -= SIZES[size];
                return buffer;
            }
        }
        return ByteBuffer.allocateDirect(SIZES[size]);
    }

    /** Takes a buffer back. */
    synchronized void giveBack(ByteBuffer buffer) {
        for (int i = 0; i < SIZES.length; i++) {
            if (buffer.capacity() == SIZES[i] && kept + SIZES[i] <= MOST_KEPT) {
                free[i].addFirst(buffer);
                kept += SIZES[i];
                return;
            }
        }
    }
}
