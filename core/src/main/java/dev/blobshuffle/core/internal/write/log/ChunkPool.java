package dev.blobshuffle.core.internal.write.log;

import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.failure.MemoryExhausted;
import dev.blobshuffle.core.time.Signal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The write budget: every byte that a record occupies from its append until it is durable (or sent
 * plain, or dropped) lies in a chunk of this pool. Chunks have power-of-two sizes and are reused; a
 * record too large for the largest gets a chunk of its own, which is counted and not kept. Memory
 * in use and kept for reuse together never exceed the budget. Thread-safe.
 *
 * <p>The size of new chunks falls with the number of outputs, so that the chunks on which idle
 * outputs stand cannot fill the budget.
 */
public final class ChunkPool {
    private static final int SMALLEST_SHIFT = 10;
    private static final int SMALLEST = 1 << SMALLEST_SHIFT;

    private final long budget;
    private final int largest;
    private final long largestRecord;
    private final Signal released;
    private final Deque<Ticket> waiting = new ArrayDeque<>();
    private final Deque<byte[]>[] free;
    private long used;
    private long kept;
    private int outputs;
    private boolean closed;

    /**
     * A pool.
     *
     * @param budget most bytes, in use and kept
     * @param largest size of the largest pooled chunk, bytes, a power of two from 1 KiB
     * @param record most bytes of a record, at most the budget whatever it says
     * @param released raised whenever memory comes back
     */
    @SuppressWarnings("unchecked")
    public ChunkPool(long budget, int largest, long record, Signal released) {
        this.budget = budget;
        this.largest = largest;
        this.largestRecord = Math.min(record, budget);
        this.released = released;
        int classes = Integer.numberOfTrailingZeros(largest) - SMALLEST_SHIFT + 1;
        free = Stream.generate(ArrayDeque<byte[]>::new).limit(classes).toArray(Deque[]::new);
    }

    public long budget() {
        return budget;
    }

    /** Size of the largest record that may be appended, bytes. */
    long largestRecord() {
        return largestRecord;
    }

    int largest() {
        return largest;
    }

    /** Raised whenever memory comes back. */
    public Signal released() {
        return released;
    }

    public synchronized long used() {
        return used;
    }

    /**
     * Counts an output in.
     *
     * @throws MemoryExhausted fatal: the budget is too small for so many outputs
     */
    public synchronized void addOutput() {
        if ((outputs + 1L) * SMALLEST * 2 > budget) {
            throw new MemoryExhausted(
                    "Cannot open an output: " + outputs + " partitions are open, and a write buffer of " + budget
                            + " bytes has no room for another. Raise write.buffer.bytes.");
        }
        outputs++;
    }

    /** Counts outputs out. */
    public synchronized void removeOutputs(int count) {
        outputs -= count;
    }

    /**
     * The size of a pooled chunk that a record fits in: the preferred size, less where outputs are
     * many, more where the record needs it.
     *
     * @param bytes what must fit, at most {@link #largest()}
     */
    synchronized int size(int bytes, int preferred) {
        long share = Math.max(SMALLEST, budget / (4L * Math.max(1, outputs)));
        int size = (int) Math.min(preferred, Long.highestOneBit(share));
        return bytes <= size ? size : Integer.highestOneBit(bytes - 1) << 1;
    }

    /**
     * A chunk of at least a number of bytes, or null when the budget is full or others wait for
     * memory.
     */
    public @Nullable Chunk acquire(int size) {
        return acquire(size, null);
    }

    /**
     * A chunk, for one who may be waiting.
     *
     * @param ticket the place in the queue; null for one who is not in it and so has to stand
     *     behind all who are
     */
    public synchronized @Nullable Chunk acquire(int size, @Nullable Ticket ticket) {
        if (closed) {
            throw new Closed("Cannot take memory for a record: the Batcher is closed. Append nothing after close.");
        }
        if (waiting.peekFirst() != ticket || used + size > budget) {
            return null;
        }
        byte[] array = isPooled(size) ? free[sizeClass(size)].pollFirst() : null;
        if (array == null) {
            makeRoom(size);
            array = new byte[size];
        } else {
            kept -= size;
        }
        used += size;
        return new Chunk(array, this);
    }

    /** Drops kept arrays of other sizes until a new array fits into the budget beside them. */
    private void makeRoom(int size) {
        for (int i = free.length - 1; i >= 0; i--) {
            while (used + kept + size > budget && !free[i].isEmpty()) {
                kept -= free[i].removeFirst().length;
            }
        }
    }

    /**
     * Stands in line for memory: first come, first served, so that small requests cannot starve a
     * large one.
     */
    public synchronized Ticket queue() {
        Ticket ticket = new Ticket();
        waiting.addLast(ticket);
        return ticket;
    }

    void recycle(byte[] array) {
        synchronized (this) {
            used -= array.length;
            if (isPooled(array.length) && !closed) {
                free[sizeClass(array.length)].addFirst(array);
                kept += array.length;
            }
        }
        released.raise();
    }

    /** Hands out nothing more. What is in use is given back as before. */
    public void close() {
        synchronized (this) {
            closed = true;
            kept = 0;
            for (Deque<byte[]> arrays : free) {
                arrays.clear();
            }
        }
        released.raise();
    }

    private boolean isPooled(int size) {
        return size <= largest && Integer.bitCount(size) == 1 && size >= SMALLEST;
    }

    private static int sizeClass(int size) {
        return Integer.numberOfTrailingZeros(size) - SMALLEST_SHIFT;
    }

    /** A place in the line of those who wait for memory. */
    public final class Ticket implements AutoCloseable {
        /** Leaves the line. */
        @Override
        public void close() {
            synchronized (ChunkPool.this) {
                waiting.remove(this);
            }
            released.raise();
        }
    }
}
