package dev.blobshuffle.core.internal.write.deliver;

import dev.blobshuffle.core.internal.format.Partition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a queue that readers may learn of before their blobs are durable, and the actions
 * that wait for their durability. Actions of a partition run in the order in which they came, which
 * is the append order. Empty with an ordinary store. Guarded by its queue.
 */
final class EarlySegments {
    private final Set<Segment> segments = new HashSet<>();
    private final Map<Partition, Deque<Waiter>> waiters = new LinkedHashMap<>();
    private boolean isAnswering;

    /** An action for each outcome of a segment; the queue runs one of them without its monitor. */
    record Waiter(Segment segment, Runnable durable, Consumer<RuntimeException> lost) {}

    /** Whether every segment is durable, and no action waits or runs. */
    boolean isSettled() {
        return segments.isEmpty() && waiters.isEmpty() && !isAnswering;
    }

    int size() {
        return segments.size();
    }

    void add(Segment segment) {
        segments.add(segment);
    }

    /**
     * Notes that a segment is durable.
     *
     * @return false if it did not wait for that
     */
    boolean remove(Segment segment) {
        return segments.remove(segment);
    }

    boolean contains(Segment segment) {
        return segments.contains(segment);
    }

    void await(Waiter waiter) {
        waiters.computeIfAbsent(waiter.segment().partition(), partition -> new ArrayDeque<>())
                .addLast(waiter);
    }

    /** Whether the caller may run actions; if so, it must take them until none is left. */
    boolean beginAnswers() {
        boolean isFree = !isAnswering;
        isAnswering = true;
        return isFree;
    }

    void endAnswers() {
        isAnswering = false;
    }

    /** Takes the next action that may run; null: none. */
    @Nullable
    Waiter next() {
        for (Map.Entry<Partition, Deque<Waiter>> partition : waiters.entrySet()) {
            Waiter head = partition.getValue().getFirst();
            if (!segments.contains(head.segment())) {
                partition.getValue().removeFirst();
                if (partition.getValue().isEmpty()) {
                    waiters.remove(partition.getKey());
                }
                return head;
            }
        }
        return null;
    }

    /** Removes all segments as lost, and returns all actions. */
    List<Waiter> lose() {
        segments.forEach(Segment::toLost);
        segments.clear();
        List<Waiter> all = new ArrayList<>();
        waiters.values().forEach(all::addAll);
        waiters.clear();
        return all;
    }
}
