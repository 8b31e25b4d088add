package dev.blobshuffle.core.internal.write.log;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.MemoryExhaustedException;
import dev.blobshuffle.core.time.Signal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The write budget: a pool of memory for records from their append until they are durable, sent as
 * plain records, or dropped. Chunks have power-of-two sizes and are reused. A record that is too
 * large for the largest chunk gets a chunk of its own, which counts against the budget but is not
 * kept. Memory in use and memory kept for reuse together never exceed the budget. Thread-safe.
 *
 * <p>New chunks are smaller if there are many outputs, so that the chunks of idle outputs cannot
 * fill the budget.
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
     * An empty pool.
     *
     * @param budget the most bytes in use and kept for reuse
     * @param largest size of the largest pooled chunk, bytes, a power of two from 1 KiB
     * @param record the most bytes of a record; a value above the budget counts as the budget
     * @param released raised whenever memory is released
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

    /** Raised whenever memory is released. */
    public Signal released() {
        return released;
    }

    public synchronized long used() {
        return used;
    }

    /**
     * Adds an output to the count.
     *
     * @throws MemoryExhaustedException fatal: the budget is too small for so many outputs
     */
    public synchronized void addOutput() {
        if ((outputs + 1L) * SMALLEST * 2 > budget) {
            throw new MemoryExhaustedException(
                    "Cannot open an output: " + outputs + " partitions are open, and a write buffer of " + budget
                            + " bytes has no room for another. Raise write.buffer.bytes.");
        }
        outputs++;
    }

    /** Removes outputs from the count. */
    public synchronized void removeOutputs(int count) {
        outputs -= count;
    }

    /**
     * The size of a pooled chunk that a record fits in. It is the preferred size, a smaller one if
     * there are many outputs, or a larger one if the record needs it.
     *
     * @param bytes size of the record, at most {@link #largest()}
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
     * A chunk of at least a number of bytes, for a caller that may be in the queue for memory.
     * Returns null if the budget is full or others are ahead.
     *
     * @param ticket the caller's place in the queue; null for a caller outside the queue, which
     *     comes after all tickets
     */
    public synchronized @Nullable Chunk acquire(int size, @Nullable Ticket ticket) {
        if (closed) {
            throw new ClosedException(
                    "Cannot take memory for a record: the Batcher is closed. Append nothing after close.");
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
     * Joins the queue for memory. It is first come, first served, so small requests cannot starve a
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

    /** Ends the pool: it returns no more chunks. Chunks in use are released as before. */
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

    /** A place in the queue for memory. */
    public final class Ticket implements AutoCloseable {
        /** Leaves the queue. */
        @Override
        public void close() {
            synchronized (ChunkPool.this) {
                waiting.remove(this);
            }
            released.raise();
        }
    }
}
