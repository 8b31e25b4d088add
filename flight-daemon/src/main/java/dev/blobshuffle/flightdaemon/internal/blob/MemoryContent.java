package dev.blobshuffle.flightdaemon.internal.blob;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The bytes of a blob in memory: the consecutive parts from its writer. Reference-counted: the
 * budget counts the bytes until the last use ends. Thread-safe.
 */
final class MemoryContent {
    private final List<ByteBuffer> parts;

    /** The end offset of each part. */
    private final long[] ends;

    private final Runnable whenUnused;
    private int uses = 1;

    /**
     * Content with one use, that of its owner.
     *
     * @param parts never changed
     * @param whenUnused called once, when the last use has ended
     */
    MemoryContent(List<ByteBuffer> parts, Runnable whenUnused) {
        this.parts = List.copyOf(parts);
        this.whenUnused = whenUnused;
        ends = new long[parts.size()];
        long end = 0;
        for (int i = 0; i < ends.length; i++) {
            end += parts.get(i).remaining();
            ends[i] = end;
        }
    }

    /** The length, bytes. */
    long length() {
        return ends[ends.length - 1];
    }

    /** Begins another use; returns false if the last use has already ended. */
    synchronized boolean use() {
        if (uses == 0) {
            return false;
        }
        uses++;
        return true;
    }

    /** Ends a use. */
    void drop() {
        boolean isUnused;
        synchronized (this) {
            isUnused = --uses == 0;
        }
        if (isUnused) {
            whenUnused.run();
        }
    }

    /** The parts in a range. The first and the last are cut to the range. */
    List<ByteBuffer> parts(long offset, long count) {
        if (offset < 0 || count < 0 || offset + count > length()) {
            throw new IllegalArgumentException(
                    "Cannot read [" + offset + ", +" + count + ") of a blob of " + length() + " bytes in memory.");
        }
        List<ByteBuffer> found = new ArrayList<>();
        int index = Arrays.binarySearch(ends, offset);
        int next = index >= 0 ? index + 1 : -index - 1;
        long at = offset;
        long end = offset + count;
        while (at < end) {
            ByteBuffer part = parts.get(next);
            long start = ends[next] - part.remaining();
            int from = (int) (at - start);
            int to = (int) Math.min(part.remaining(), end - start);
            found.add(part.slice(part.position() + from, to - from));
            at += to - from;
            next++;
        }
        return found;
    }
}
