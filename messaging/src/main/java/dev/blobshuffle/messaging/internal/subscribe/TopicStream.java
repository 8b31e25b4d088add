package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.tail.TailCursor;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads some partitions of a topic together from one place on. A partition that is further ahead
 * waits until the stream reaches it. Owned by the subscriber's thread.
 */
final class TopicStream implements AutoCloseable {
    private static final int BATCHES = 50;
    private static final long BYTES = 1 << 20;

    private final TailCursor cursor;
    private final Map<Integer, PartitionReading> partitions = new TreeMap<>();

    /** Batches from the cursor that are not queued yet. */
    private final Deque<SequencedBatch> taken = new ArrayDeque<>();

    TopicStream(TailCursor cursor) {
        this.cursor = cursor;
    }

    /** The sequence of the next batch to queue. */
    long position() {
        SequencedBatch head = taken.peek();
        return head == null ? cursor.position() : head.sequence();
    }

    /** The topic's last known end. */
    OptionalLong end() {
        return cursor.end();
    }

    Collection<PartitionReading> partitions() {
        return partitions.values();
    }

    @Nullable
    PartitionReading partition(int number) {
        return partitions.get(number);
    }

    boolean isEmpty() {
        return partitions.isEmpty();
    }

    /** Adds a partition that begins at the stream's position or later. */
    void add(PartitionReading partition) {
        partitions.put(partition.numbered.partition(), partition);
        partition.stream = this;
    }

    /** Removes a partition, which keeps its place. */
    void remove(PartitionReading partition) {
        partition.from = partition.next();
        partition.stream = null;
        partitions.remove(partition.numbered.partition());
    }

    /** Continues at another sequence. */
    void seek(long sequence) {
        taken.clear();
        cursor.seek(sequence);
    }

    /** The next batch, if it has arrived. It stays until {@link #passed}. */
    @Nullable
    SequencedBatch head() {
        if (taken.isEmpty()) {
            taken.addAll(cursor.next(BATCHES, BYTES));
        }
        return taken.peek();
    }

    /** Called when the next batch is queued. */
    void passed() {
        taken.remove();
    }

    @Override
    public void close() {
        cursor.close();
    }
}
