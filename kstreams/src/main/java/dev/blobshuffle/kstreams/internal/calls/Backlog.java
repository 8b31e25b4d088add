package dev.blobshuffle.kstreams.internal.calls;

import dev.blobshuffle.kstreams.internal.calls.PendingRecord.State;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The accepted and unfinished records, and the order in which their calls start. Of all records
 * that may start, the one that was accepted first starts. So no key starves, and commits, which
 * wait for the oldest record, finish early. A key is in the table only while it has records.
 * Guarded by the lock of its {@link ParallelCalls}.
 */
public final class Backlog<I, O> {
    private final CallPlan plan;
    private final boolean isStaged;
    private final Map<KeyHandle, KeyGroup<I, O>> groups = new HashMap<>();
    private final KeyGroup<I, O> partition = new KeyGroup<>(null);
    private final PriorityQueue<PendingRecord<I, O>> ready =
            new PriorityQueue<>(Comparator.comparingLong(PendingRecord::sequence));
    /** All accepted and unfinished records, in order of acceptance. */
    private final Set<PendingRecord<I, O>> pending = new LinkedHashSet<>();

    private final Deque<PendingRecord<I, O>> unprepared = new ArrayDeque<>();
    private final Deque<PendingRecord<I, O>> released = new ArrayDeque<>();
    private long accepted;
    private long bytes;
    private int waiting;
    private @Nullable KeyGroup<I, O> last;

    /**
     * An empty backlog.
     *
     * @param isStaged whether the owner prepares each record before its call; then a key's next
     *     record waits until the one before it is finished, not only called
     */
    Backlog(CallPlan plan, boolean isStaged) {
        this.plan = plan;
        this.isStaged = isStaged;
    }

    /** Accepts a record. @param key absent: ordered only if the whole partition is */
    void accept(@Nullable KeyHandle key, I input, long size, long now) {
        KeyGroup<I, O> group = group(key);
        PendingRecord<I, O> record = new PendingRecord<>(accepted++, group, input, size, now);
        boolean ignored = pending.add(record);
        bytes += size;
        waiting++;
        last = group;
        if (group != null) {
            group.records.add(record);
            group.waiting++;
        }
        if (group == null || !plan.isSerial() || group.open == 0) {
            makeReady(record);
        }
    }

    private @Nullable KeyGroup<I, O> group(@Nullable KeyHandle key) {
        return switch (plan.ordering()) {
            case UNORDERED -> null;
            case PARTITION -> partition;
            case KEY, KEY_OUTPUT -> key == null ? null : groups.computeIfAbsent(key, KeyGroup::new);
        };
    }

    private void makeReady(PendingRecord<I, O> record) {
        if (record.group != null && record.state == State.WAITING) {
            record.group.open++;
        }
        record.isDue = false;
        if (isStaged && record.attempts == 0) {
            record.state = State.UNPREPARED;
            unprepared.add(record);
        } else {
            record.state = State.READY;
            ready.add(record);
        }
    }

    /** The next record to prepare; {@link #prepared} or {@link #skip} must follow. */
    @Nullable
    PendingRecord<I, O> pollUnprepared() {
        return unprepared.poll();
    }

    /** Makes a prepared record ready for its call. */
    void prepared(PendingRecord<I, O> record) {
        record.state = State.READY;
        ready.add(record);
    }

    /** Ends a record without a call. */
    void skip(PendingRecord<I, O> record, Outcome<O> outcome) {
        waiting--;
        if (record.group != null) {
            record.group.waiting--;
        }
        end(record, outcome);
    }

    /** Takes the records of the next call; empty if none may start. */
    List<PendingRecord<I, O>> next() {
        PendingRecord<I, O> first = ready.poll();
        if (first == null) {
            return List.of();
        }
        List<PendingRecord<I, O>> call = new ArrayList<>(1);
        start(first, call);
        if (first.attempts > 1) {
            return call; // Failed records are retried one by one.
        }
        if (plan.batching() == CallPlan.Batching.ANY_KEY) {
            while (call.size() < plan.maxBatch() && !ready.isEmpty() && ready.element().attempts == 0) {
                start(ready.remove(), call);
            }
        } else if (plan.batching() == CallPlan.Batching.SAME_KEY && first.group != null) {
            for (PendingRecord<I, O> other : first.group.records) {
                if (call.size() == plan.maxBatch()) {
                    break;
                }
                if (other.state == State.WAITING) {
                    first.group.open++;
                    start(other, call);
                }
            }
        }
        return call;
    }

    private void start(PendingRecord<I, O> record, List<PendingRecord<I, O>> call) {
        record.state = State.RUNNING;
        record.attempts++;
        waiting--;
        if (record.group != null) {
            record.group.waiting--;
        }
        call.add(record);
    }

    /** Parks a record whose call failed and will be retried: its key waits. */
    void park(PendingRecord<I, O> record) {
        record.state = State.PARKED;
        waiting++;
        if (record.group != null) {
            record.group.waiting++;
        }
    }

    /**
     * Makes a retry ready. If calls of a key run one after another, it first waits for the calls of
     * all earlier records.
     */
    void unpark(PendingRecord<I, O> record) {
        record.isDue = true;
        if (!plan.isSerial() || record.group == null || record.group.records.peek() == record) {
            makeReady(record);
        }
    }

    /**
     * Called when a record's call has ended for good. The record is released after the earlier ones
     * of its group.
     */
    void end(PendingRecord<I, O> record, Outcome<O> outcome) {
        record.end(outcome);
        KeyGroup<I, O> group = record.group;
        if (group == null) {
            released.add(record);
            return;
        }
        for (PendingRecord<I, O> head = group.records.peek();
                head != null && head.state == State.DONE;
                head = group.records.peek()) {
            released.add(group.records.remove());
        }
        PendingRecord<I, O> next = group.records.peek();
        if (plan.isSerial() && next != null && next.state == State.PARKED && next.isDue) {
            makeReady(next); // Several records of a batch may have failed.
        }
        if (!isStaged) {
            leave(group);
        }
    }

    private void leave(KeyGroup<I, O> group) {
        group.open--;
        if (group.open > 0) {
            return;
        }
        PendingRecord<I, O> head = group.records.peek();
        if (head != null) {
            makeReady(head); // Only records of a serial group wait.
        } else if (group.key != null) {
            groups.remove(group.key, group);
        }
    }

    /** The next released record. */
    @Nullable
    PendingRecord<I, O> pollReleased() {
        return released.poll();
    }

    /** Finishes a record that was handed on or dropped: frees its budget. */
    void finish(PendingRecord<I, O> record) {
        boolean ignored = pending.remove(record);
        bytes -= record.bytes;
        if (isStaged && record.group != null) {
            leave(record.group);
        }
    }

    /** Number of accepted and unfinished records. */
    int pending() {
        return pending.size();
    }

    /** Time at which the oldest of them was accepted. */
    Optional<Long> oldestNanos() {
        return pending.isEmpty()
                ? Optional.empty()
                : Optional.of(pending.iterator().next().acceptedNanos);
    }

    /** Their bytes. */
    long bytes() {
        return bytes;
    }

    /** Number of them whose call has not started, or waits for a retry. */
    int waiting() {
        return waiting;
    }

    /**
     * Number of calls that must start, one after another, until the last accepted record's call has
     * started; 0 if calls of a key overlap.
     */
    int callsAheadOfLast() {
        KeyGroup<I, O> group = last;
        if (group == null || !plan.isSerial()) {
            return 0;
        }
        int batch = plan.batching() == CallPlan.Batching.SAME_KEY ? plan.maxBatch() : 1;
        return (group.waiting + batch - 1) / batch;
    }

    /** Whether a record is ready for its call. */
    boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Whether a record is released. */
    boolean hasReleased() {
        return !released.isEmpty();
    }

    /** Number of keys that have records. */
    int keys() {
        return groups.size();
    }
}
