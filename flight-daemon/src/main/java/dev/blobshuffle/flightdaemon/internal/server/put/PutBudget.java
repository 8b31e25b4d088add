package dev.blobshuffle.flightdaemon.internal.server.put;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import dev.blobshuffle.flightdaemon.internal.server.call.Holder;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The bytes that all puts together may have in memory. Half is for messages: each admitted stream
 * has room for the longest message. It thus never waits for others, and the number of streams is
 * limited. The other half is for batches. When it is full, streams flush their batches.
 *
 * <p>A tenant has only some of the slots for streams. A free slot goes to the waiting tenant with
 * the fewest slots.
 *
 * <p>A stream that is not admitted waits without a thread. Its client's data fills the window of
 * the HTTP/2 connection, which would block the connection's other puts. The stream could then wait
 * for their slots forever, so it must be the connection's only put. Thread-safe: guarded by itself.
 */
public final class PutBudget {
    private final int slots;
    private final int slotsOfTenant;
    private final long most;

    /** The streams of each connection, including those that wait. */
    private final Map<Object, Integer> streams = new HashMap<>();

    /** The number of slots of each tenant. */
    private final Map<Object, Integer> held = new HashMap<>();

    private final Map<Runnable, Waiting> waiting = new LinkedHashMap<>();
    private int admitted;
    private long heldBytes;

    /** A waiting stream. */
    private record Waiting(Object tenant, long sinceNanos) {}

    /**
     * A budget.
     *
     * @param total bytes
     * @param message the longest message, bytes
     * @param ofTenant most streams of a tenant; empty: all but one if there are several tenants
     * @param tenants the number of tenants
     * @throws InvalidSettingsException fatal: a tenant's limit exceeds the number of streams
     */
    public PutBudget(long total, long message, OptionalInt ofTenant, int tenants) {
        slots = Math.toIntExact(Math.min(total / 2 / message, Integer.MAX_VALUE));
        most = total - slots * message;
        slotsOfTenant = ofTenant.orElse(tenants > 1 ? Math.max(1, slots - 1) : slots);
        if (slotsOfTenant > slots) {
            throw new InvalidSettingsException(
                    "Cannot serve " + slotsOfTenant + " puts of a tenant: the memory for puts has" + " room for "
                            + slots + ". Give more --put-memory, or fewer --puts-per-tenant.");
        }
    }

    /**
     * Admits a stream, or makes it wait.
     *
     * @param whenAdmitted called once if the stream waits; identifies the stream
     * @return whether the stream is admitted
     * @throws RefusedException it would have to wait, and its connection has another stream
     */
    synchronized boolean enter(Holder holder, long nowNanos, Runnable whenAdmitted) {
        boolean isAdmitted = admitted < slots && mayHaveOne(holder.tenant());
        if (!isAdmitted && streams.containsKey(holder.connection())) {
            throw new RefusedException(
                    Reason.BUSY,
                    "Cannot put another map: the daemon takes " + slots + " at a time"
                            + (slotsOfTenant < slots ? ", " + slotsOfTenant + " of one tenant" : "")
                            + ", and this connection has one. Put it again when one has ended, use a connection for"
                            + " each, or start the daemon with more --put-memory.");
        }
        streams.merge(holder.connection(), 1, Integer::sum);
        if (isAdmitted) {
            admit(holder.tenant());
        } else {
            waiting.put(whenAdmitted, new Waiting(holder.tenant(), nowNanos));
        }
        return isAdmitted;
    }

    private boolean mayHaveOne(Object tenant) {
        return slots(tenant) < slotsOfTenant;
    }

    private int slots(Object tenant) {
        return held.getOrDefault(tenant, 0);
    }

    private void admit(Object tenant) {
        admitted++;
        held.merge(tenant, 1, Integer::sum);
    }

    /** Removes a stream that has ended. */
    void leave(Holder holder, Runnable whenAdmitted) {
        Optional<Runnable> next = Optional.empty();
        synchronized (this) {
            streams.computeIfPresent(holder.connection(), (key, count) -> count == 1 ? null : count - 1);
            if (waiting.remove(whenAdmitted) == null) {
                admitted--;
                held.computeIfPresent(holder.tenant(), (key, count) -> count == 1 ? null : count - 1);
                next = admitNext();
            }
        }
        next.ifPresent(Runnable::run);
    }

    /**
     * Admits the stream that has waited longest among those of the tenant with the fewest slots.
     */
    private Optional<Runnable> admitNext() {
        Optional<Map.Entry<Runnable, Waiting>> next = waiting.entrySet().stream()
                .filter(one -> mayHaveOne(one.getValue().tenant()))
                .min(Comparator.comparingInt(one -> slots(one.getValue().tenant())));
        next.ifPresent(one -> {
            waiting.remove(one.getKey());
            admit(one.getValue().tenant());
        });
        return next.map(Map.Entry::getKey);
    }

    /** Whether a stream waits for a slot of this tenant. */
    synchronized boolean isWanted(Object tenant) {
        return !waiting.isEmpty()
                && (admitted == slots
                        || waiting.values().stream()
                                .anyMatch(one -> one.tenant().equals(tenant)));
    }

    /**
     * The tenant that must give up a slot: the one with the most slots, and more than one, if a
     * tenant without a slot has waited too long.
     */
    synchronized Optional<Object> mustGive(long nowNanos, long longestNanos) {
        boolean isOverdue = admitted == slots
                && waiting.values().stream()
                        .anyMatch(one -> slots(one.tenant()) == 0 && nowNanos - one.sinceNanos() > longestNanos);
        return isOverdue
                ? held.entrySet().stream()
                        .filter(one -> one.getValue() > 1)
                        .max(Map.Entry.comparingByValue())
                        .map(Map.Entry::getKey)
                : Optional.empty();
    }

    /** The number of waiting streams. */
    public synchronized int waiting() {
        return waiting.size();
    }

    /** Adds to the bytes that streams hold; negative: subtracts. */
    synchronized void change(long bytes) {
        heldBytes += bytes;
    }

    /** Whether streams that hold batches must flush them. */
    synchronized boolean isFull() {
        return heldBytes > most;
    }

    /** Bytes that streams hold. */
    public synchronized long held() {
        return heldBytes;
    }
}
