package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.log.internal.SequencedBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Some consecutive batches of a topic in memory. Guarded by its owner's lock. */
public final class BatchRing {
    /** Approximate memory of a batch in addition to its entries. */
    private static final int OVERHEAD = 100;

    private final NavigableMap<Long, Held> batches = new TreeMap<>();
    private long next;
    private long added;
    private long evicted;

    /** An empty ring that begins at 0. */
    public BatchRing() {}

    /** A batch, and the total bytes added before it. */
    private record Held(SequencedBatch batch, long before) {}

    /** Drops everything and continues at a sequence. */
    public void restart(long sequence) {
        batches.clear();
        evicted = added;
        next = sequence;
    }

    /** The sequence of the next batch to add. */
    public long next() {
        return next;
    }

    /** Whether a sequence is in the ring or at its end. */
    public boolean reaches(long sequence) {
        return sequence == next || batches.containsKey(sequence);
    }

    /** Appends batches, the first of which is the next one. */
    public void add(List<SequencedBatch> more) {
        for (SequencedBatch batch : more) {
            batches.put(batch.sequence(), new Held(batch, added));
            added += batch.entries().length + OVERHEAD;
            next = batch.sequence() + 1;
        }
    }

    /** Batches from a sequence on, in order; empty if that sequence is not in the ring. */
    public List<SequencedBatch> from(long sequence, int maxBatches, long maxBytes) {
        List<SequencedBatch> taken = new ArrayList<>();
        if (!batches.containsKey(sequence)) {
            return taken;
        }
        long bytes = 0;
        for (Held held : batches.tailMap(sequence).values()) {
            if (taken.size() >= maxBatches || bytes >= maxBytes) {
                break;
            }
            taken.add(held.batch);
            bytes += held.batch.entries().length;
        }
        return taken;
    }

    /** Moves batches from the head of a queue into a list, within limits. */
    static List<SequencedBatch> take(Deque<SequencedBatch> queue, int maxBatches, long maxBytes) {
        List<SequencedBatch> taken = new ArrayList<>();
        long bytes = 0;
        for (SequencedBatch head = queue.peek();
                head != null && taken.size() < maxBatches && bytes < maxBytes;
                head = queue.peek()) {
            taken.add(queue.remove());
            bytes += head.entries().length;
        }
        return taken;
    }

    /** An empty queue of batches. */
    static Deque<SequencedBatch> queue() {
        return new ArrayDeque<>();
    }

    /** Bytes held from a sequence on. */
    long bytesFrom(long sequence) {
        Held held = batches.get(sequence);
        return held == null ? 0 : added - held.before;
    }

    /** Bytes held. */
    public long bytes() {
        return added - evicted;
    }

    /** Drops the oldest batches until the rest fits; the newest batch stays. */
    public void evict(long most) {
        while (bytes() > most && batches.size() > 1) {
            batches.pollFirstEntry();
            evicted = batches.firstEntry().getValue().before;
        }
    }
}
