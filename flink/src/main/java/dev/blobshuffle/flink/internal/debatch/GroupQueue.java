package dev.blobshuffle.flink.internal.debatch;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.reference.Reference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * The references of one key group whose records are not all handed out, in order. It knows a record
 * as handed out before the record leaves, because the operator behind may let a checkpoint pass
 * while it receives the record. Owned by the task's thread.
 */
final class GroupQueue {
    private final Partition partition;
    private final Queue<Item> items = new ArrayDeque<>();
    private int firstRecord;
    private long offered;

    /**
     * A reference in its queue.
     *
     * @param group its queue
     * @param bytes what it counts for backpressure
     * @param generation of its blob, or {@link #NO_BLOB}
     */
    record Item(GroupQueue group, Reference reference, long bytes, long generation) {
        /** There is none. */
        static final long NO_BLOB = Long.MAX_VALUE;
    }

    GroupQueue(Partition partition) {
        this.partition = partition;
    }

    Partition partition() {
        return partition;
    }

    int number() {
        return partition.number();
    }

    /** Appends an item, and returns its position: one more than that of the item before. */
    long add(Item item, int first) {
        if (items.isEmpty()) {
            firstRecord = first;
        }
        items.add(item);
        return offered++;
    }

    /** A record of the first item leaves. Returns whether it is the item's last one. */
    boolean handsOut(int index, int count) {
        boolean isLast = index + 1 == count;
        if (isLast) {
            Item ignored = items.remove();
        }
        firstRecord = isLast ? 0 : index + 1;
        return isLast;
    }

    boolean isEmpty() {
        return items.isEmpty();
    }

    /** The oldest generation of its blobs, or {@link Item#NO_BLOB}. */
    long oldestGeneration() {
        long oldest = Item.NO_BLOB;
        for (Item item : items) {
            oldest = Math.min(oldest, item.generation());
        }
        return oldest;
    }

    /** The state of the group in a checkpoint. */
    PendingGroup pending() {
        List<Reference> references = new ArrayList<>(items.size());
        for (Item item : items) {
            references.add(item.reference());
        }
        return new PendingGroup(number(), firstRecord, references);
    }
}
