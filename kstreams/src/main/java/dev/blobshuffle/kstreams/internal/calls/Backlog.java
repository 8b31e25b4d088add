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
 * The records that are accepted and not finished, and which of them come next. Of all that may
 * start, the one that was accepted first does: no key starves, and commits, which wait for the
 * oldest, get on best. The table holds a key only as long as it has records. Guarded by the lock of
 * its {@link ParallelCalls}.
 */
public final class Backlog<I, O> {
    private final CallPlan plan;
    private final boolean isStaged;
    private final Map<KeyHandle, KeyGroup<I, O>> groups = new HashMap<>();
    private final KeyGroup<I, O> partition = new KeyGroup<>(null);
    private final PriorityQueue<PendingRecord<I, O>> ready =
            new PriorityQueue<>(Comparator.comparingLong(PendingRecord::sequence));
    /** All that is accepted and not finished, in that order. */
    private final Set<PendingRecord<I, O>> pending = new LinkedHashSet<>();

    private final Deque<PendingRecord<I, O>> unprepared = new ArrayDeque<>();
    private final Deque<PendingRecord<I, O>> released = new ArrayDeque<>();
    private long accepted;
    private long bytes;
    private int waiting;
    private @Nullable KeyGroup<I, O> last;

    /**
     * Empty.
     *
     * @param isStaged whether the owner prepares each record before its call, and a key's next
     *     record waits until the one before it is finished, not only its call
     */
    Backlog(CallPlan plan, boolean isStaged) {
        this.plan = plan;
        this.isStaged = isStaged;
    }

    /** Takes a record. @param key absent: in order with nothing, unless the partition is */
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

    /** The next record to prepare; {@link #prepared} or {@link #skip} comes then. */
    @Nullable
    PendingRecord<I, O> pollUnprepared() {
        return unprepared.poll();
    }

    /** The call of a prepared record may start. */
    void prepared(PendingRecord<I, O> record) {
        record.state = State.READY;
        ready.add(record);
    }

    /** A record ends without a call. */
    void skip(PendingRecord<I, O> record, Outcome<O> outcome) {
        waiting--;
        if (record.group != null) {
            record.group.waiting--;
        }
        end(record, outcome);
    }

    /** Takes the records of the next call. Empty: none may start. */
    List<PendingRecord<I, O>> next() {
        PendingRecord<I, O> first = ready.poll();
        if (first == null) {
            return List.of();
        }
        List<PendingRecord<I, O>> call = new ArrayList<>(1);
        start(first, call);
        if (first.attempts > 1) {
            return call; // What failed is repeated alone.
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

    /** A call failed and will be repeated: its key waits. */
    void park(PendingRecord<I, O> record) {
        record.state = State.PARKED;
        waiting++;
        if (record.group != null) {
            record.group.waiting++;
        }
    }

    /**
     * The repetition may start; where calls of a key follow each other, when those of all records
     * before it have ended.
     */
    void unpark(PendingRecord<I, O> record) {
        record.isDue = true;
        if (!plan.isSerial() || record.group == null || record.group.records.peek() == record) {
            makeReady(record);
        }
    }

    /** A call has ended for good: the record leaves when those before it in its group have. */
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
            makeReady(next); // Of a batch, several may have failed.
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
            makeReady(head); // Of a serial group: others have nothing that waits.
        } else if (group.key != null) {
            groups.remove(group.key, group);
        }
    }

    /** The next record that may be handed on. */
    @Nullable
    PendingRecord<I, O> pollReleased() {
        return released.poll();
    }

    /** A record is handed on, or dropped: its budget is free. */
    void finish(PendingRecord<I, O> record) {
        boolean ignored = pending.remove(record);
        bytes -= record.bytes;
        if (isStaged && record.group != null) {
            leave(record.group);
        }
    }

    /** Records that are accepted and not finished. */
    int pending() {
        return pending.size();
    }

    /** When the oldest of them was accepted. */
    Optional<Long> oldestNanos() {
        return pending.isEmpty()
                ? Optional.empty()
                : Optional.of(pending.iterator().next().acceptedNanos);
    }

    /** Their bytes. */
    long bytes() {
        return bytes;
    }

    /** Those among them whose call has not started, or waits to be repeated. */
    int waiting() {
        return waiting;
    }

    /**
     * Calls that have to start, one after the other, until the record that was accepted last has
     * started; 0 where calls of a key overlap.
     */
    int callsAheadOfLast() {
        KeyGroup<I, O> group = last;
        if (group == null || !plan.isSerial()) {
            return 0;
        }
        int batch = plan.batching() == CallPlan.Batching.SAME_KEY ? plan.maxBatch() : 1;
        return (group.waiting + batch - 1) / batch;
    }

    /** Whether one of them may start. */
    boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Whether one may be handed on. */
    boolean hasReleased() {
        return !released.isEmpty();
    }

    /** Keys that have records. */
    int keys() {
        return groups.size();
    }
}
