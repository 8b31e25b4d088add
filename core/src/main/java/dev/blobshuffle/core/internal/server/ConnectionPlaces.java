package dev.blobshuffle.core.internal.server;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The open connections of a server, bounded in total and per address. If there is no place for a
 * new connection, the oldest stranger is closed. A stranger is a connection that has not sent a
 * valid request yet. A normal client is a stranger for milliseconds. A client that sends its
 * request slowly, or never, remains a stranger until it is closed. So slow clients never exclude
 * others. Thread-safe.
 *
 * @param <C> a connection
 */
public final class ConnectionPlaces<C> {
    private final int most;
    private final int mostOfAddress;

    /** Every connection with its address. Guarded by this, as are the fields below. */
    private final Map<C, Object> open = new HashMap<>();

    private final Map<Object, Integer> byAddress = new HashMap<>();

    /** Connections that have not earned their places, the oldest first. */
    private final LinkedHashMap<C, Object> strangers = new LinkedHashMap<>();

    /**
     * The places of a server without connections.
     *
     * @param most the most concurrent connections
     * @param mostOfAddress the most concurrent connections from one address
     */
    public ConnectionPlaces(int most, int mostOfAddress) {
        this.most = most;
        this.mostOfAddress = mostOfAddress;
    }

    /**
     * Adds a new connection.
     *
     * @return the connection that the caller must close: none, an older one, or the new one itself
     *     if all others have earned their places
     */
    public synchronized Optional<C> enter(C connection, Object address) {
        Optional<C> out = Optional.empty();
        if (byAddress.getOrDefault(address, 0) >= mostOfAddress) {
            out = eldestStranger(Optional.of(address)).or(() -> Optional.of(connection));
        } else if (open.size() >= most) {
            out = eldestStranger(Optional.empty()).or(() -> Optional.of(connection));
        }
        out.ifPresent(this::leave);
        if (!out.equals(Optional.of(connection))) {
            open.put(connection, address);
            strangers.put(connection, address);
            byAddress.merge(address, 1, Integer::sum);
        }
        return out;
    }

    private Optional<C> eldestStranger(Optional<Object> address) {
        return strangers.entrySet().stream()
                .filter(stranger -> address.isEmpty() || stranger.getValue().equals(address.get()))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Records that a connection has earned its place, so it is no longer closed to make room. */
    public synchronized void earn(C connection) {
        strangers.remove(connection);
    }

    /** Removes a connection that has ended or is about to end. Idempotent. */
    public synchronized void leave(C connection) {
        Object address = open.remove(connection);
        strangers.remove(connection);
        if (address != null) {
            byAddress.computeIfPresent(address, (unused, count) -> count == 1 ? null : count - 1);
        }
    }

    /** The number of connections that have a place. */
    public synchronized int count() {
        return open.size();
    }
}
