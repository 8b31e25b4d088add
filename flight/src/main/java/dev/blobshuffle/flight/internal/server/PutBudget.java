package dev.blobshuffle.flight.internal.server;

import dev.blobshuffle.flight.internal.blob.Refused;
import dev.blobshuffle.flight.internal.blob.Refused.Reason;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The bytes that all puts together may have in memory. Half is for messages: a stream that is
 * admitted has the longest for itself, so it never waits for the others, and the number of streams
 * is bounded. The other half is for batches; when it is full, streams flush theirs.
 *
 * <p>A stream that is not admitted waits, without a thread. What its client has sent fills the
 * window of its HTTP/2 connection. So it must be the connection's only put: it would block the
 * others, for which it waits. Thread-safe: guarded by itself.
 */
final class PutBudget {
    private final int slots;
    private final long most;

    /** Streams of each connection, those that wait too. */
    private final Map<Object, Integer> streams = new HashMap<>();

    private final Map<Runnable, Object> waiting = new LinkedHashMap<>();
    private int admitted;
    private long held;

    /**
     * A budget.
     *
     * @param total bytes
     * @param message the longest message, bytes
     */
    PutBudget(long total, long message) {
        slots = Math.toIntExact(Math.min(total / 2 / message, Integer.MAX_VALUE));
        most = total - slots * message;
    }

    /**
     * Admits a stream, or has it wait.
     *
     * @param whenAdmitted called if it waits, once; identifies it
     * @return whether it is admitted
     * @throws Refused it would have to wait, and its connection has another stream
     */
    synchronized boolean enter(Object connection, Runnable whenAdmitted) {
        boolean isAdmitted = admitted < slots;
        if (!isAdmitted && streams.containsKey(connection)) {
            throw new Refused(
                    Reason.EXHAUSTED,
                    "Cannot put another map: the daemon takes " + slots + " at a time, and this connection has one."
                            + " End one first, use a connection for each, or start the daemon with more --put-memory.");
        }
        streams.merge(connection, 1, Integer::sum);
        if (isAdmitted) {
            admitted++;
        } else {
            waiting.put(whenAdmitted, connection);
        }
        return isAdmitted;
    }

    /** A stream that entered has ended. */
    void leave(Object connection, Runnable whenAdmitted) {
        Optional<Runnable> next = Optional.empty();
        synchronized (this) {
            streams.computeIfPresent(connection, (key, count) -> count == 1 ? null : count - 1);
            if (waiting.remove(whenAdmitted) == null) {
                admitted--;
                Iterator<Runnable> first = waiting.keySet().iterator();
                if (first.hasNext()) {
                    next = Optional.of(first.next());
                    first.remove();
                    admitted++;
                }
            }
        }
        next.ifPresent(Runnable::run);
    }

    /** Says that a stream holds so many more bytes, or fewer. */
    synchronized void change(long bytes) {
        held += bytes;
    }

    /** Whether streams that hold batches must flush them. */
    synchronized boolean isFull() {
        return held > most;
    }

    /** Whether streams wait. */
    synchronized boolean isShort() {
        return !waiting.isEmpty();
    }

    /** Bytes that streams hold. */
    synchronized long held() {
        return held;
    }
}
