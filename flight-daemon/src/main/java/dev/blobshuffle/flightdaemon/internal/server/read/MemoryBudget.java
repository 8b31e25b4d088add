package dev.blobshuffle.flightdaemon.internal.server.read;

import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import dev.blobshuffle.flightdaemon.internal.server.call.Holder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The bytes of frames that all streams together may have in flight, that is, read and not yet sent.
 * A connection has at most a quarter of them, or one larger frame, so one slow client cannot stop
 * the others. A stream with nothing in flight may have one frame beyond the quarter, up to half for
 * the connection. So a stream whose client reads continues even if the connection's other streams
 * are stalled. If there are several tenants, each has at most three quarters, and an equal share
 * while others wait. Streams wait in order, without a thread. Thread-safe: guarded by itself.
 */
public final class MemoryBudget {
    private static final int CONNECTIONS = 4;
    private static final int CONNECTIONS_AT_MOST = 2;

    private final long total;
    private final boolean hasTenants;
    private final Map<Object, Long> used = new HashMap<>();
    private final Map<Object, Long> usedByTenant = new HashMap<>();
    private final Map<Runnable, Wish> waiting = new LinkedHashMap<>();
    private long inFlight;

    /**
     * The request of a stream.
     *
     * @param holder the stream's client
     * @param bytes of a frame
     * @param queued bytes that the stream has in flight
     */
    private record Wish(Holder holder, long bytes, long queued) {}

    /**
     * A budget.
     *
     * @param total bytes
     * @param tenants the number of tenants
     */
    public MemoryBudget(long total, int tenants) {
        this.total = total;
        hasTenants = tenants > 1;
    }

    /**
     * Takes bytes, or registers the caller to be called when it may retry.
     *
     * @param queued bytes that the stream has in flight
     * @param retry identifies the stream, which has one request at a time
     * @return whether the caller has the bytes
     * @throws RefusedException the bytes exceed the budget
     */
    public synchronized boolean acquire(Holder holder, long bytes, long queued, Runnable retry) {
        if (bytes > total) {
            throw new RefusedException(
                    Reason.EXHAUSTED,
                    "Cannot send a frame of " + bytes + " bytes: the daemon has memory for " + total
                            + ". Start it with more --memory, or write smaller batches.");
        }
        Wish wish = new Wish(holder, bytes, queued);
        if (fits(wish)) {
            waiting.remove(retry);
            take(wish);
            return true;
        }
        waiting.put(retry, wish);
        return false;
    }

    /** Takes bytes if there is room and no stream waits. */
    synchronized boolean tryAcquire(Holder holder, long bytes) {
        Wish wish = new Wish(holder, bytes, bytes); // Reading ahead takes at most the quarter.
        if (!waiting.isEmpty() || !fits(wish)) {
            return false;
        }
        take(wish);
        return true;
    }

    /** Returns bytes, and calls the waiting streams that may retry. */
    public void release(Holder holder, long bytes) {
        List<Runnable> next = new ArrayList<>();
        synchronized (this) {
            subtract(used, holder.connection(), bytes);
            subtract(usedByTenant, holder.tenant(), bytes);
            inFlight -= bytes;
            long room = total - inFlight;
            Iterator<Map.Entry<Runnable, Wish>> wishes = waiting.entrySet().iterator();
            while (room > 0 && wishes.hasNext()) {
                Map.Entry<Runnable, Wish> wish = wishes.next();
                if (wish.getValue().bytes() <= room && fits(wish.getValue())) {
                    room -= wish.getValue().bytes();
                    next.add(wish.getKey());
                    wishes.remove();
                }
            }
        }
        next.forEach(Runnable::run);
    }

    private static void subtract(Map<Object, Long> from, Object key, long bytes) {
        if (from.merge(key, -bytes, Long::sum) == 0) {
            from.remove(key);
        }
    }

    /** Removes the request of a stream that has ended or is closing. */
    public synchronized void forget(Runnable retry) {
        waiting.remove(retry);
    }

    /** Whether streams of a connection wait for memory. */
    synchronized boolean isShortFor(Object connection) {
        return waiting.values().stream()
                .anyMatch(wish -> wish.holder().connection().equals(connection));
    }

    /**
     * Whether streams of other connections wait because all memory, or their tenant's share, is in
     * use, including the memory of this connection.
     */
    synchronized boolean isShortForOthers(Holder holder) {
        return waiting.values().stream()
                .filter(wish -> !wish.holder().connection().equals(holder.connection()))
                .anyMatch(wish -> inFlight + wish.bytes() > total
                        || wish.holder().tenant().equals(holder.tenant()) && !isFairForTenant(wish));
    }

    /** The number of waiting streams. */
    public synchronized int waiting() {
        return waiting.size();
    }

    public synchronized long inFlight() {
        return inFlight;
    }

    private boolean fits(Wish wish) {
        long ofConnection = used.getOrDefault(wish.holder().connection(), 0L);
        long share = total / (wish.queued() == 0 ? CONNECTIONS_AT_MOST : CONNECTIONS);
        boolean isFair = ofConnection == 0 || ofConnection + wish.bytes() <= share;
        return isFair && isFairForTenant(wish) && inFlight + wish.bytes() <= total;
    }

    private boolean isFairForTenant(Wish wish) {
        Object tenant = wish.holder().tenant();
        long ofTenant = usedByTenant.getOrDefault(tenant, 0L);
        return !hasTenants || ofTenant == 0 || ofTenant + wish.bytes() <= shareOf(tenant);
    }

    private long shareOf(Object tenant) {
        Set<Object> present = new HashSet<>();
        waiting.values().forEach(wish -> present.add(wish.holder().tenant()));
        present.remove(tenant);
        if (present.isEmpty()) {
            return total - total / CONNECTIONS;
        }
        present.addAll(usedByTenant.keySet());
        present.add(tenant);
        return total / present.size();
    }

    private void take(Wish wish) {
        used.merge(wish.holder().connection(), wish.bytes(), Long::sum);
        usedByTenant.merge(wish.holder().tenant(), wish.bytes(), Long::sum);
        inFlight += wish.bytes();
    }
}
