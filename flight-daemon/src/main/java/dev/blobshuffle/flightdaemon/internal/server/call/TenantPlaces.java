package dev.blobshuffle.flightdaemon.internal.server.call;

import dev.blobshuffle.core.internal.server.ConnectionPlaces;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Shares the places of {@link ConnectionPlaces} among tenants. If there are several tenants, each
 * may keep at most three quarters. Connections of a tenant beyond that work, but make room for new
 * connections like strangers. Thread-safe: guarded by itself.
 *
 * @param <C> a connection
 */
public final class TenantPlaces<C> {
    private static final int QUARTERS = 4;

    private final ConnectionPlaces<C> places;
    private final int mostOfTenant;
    private final Map<C, Object> kept = new HashMap<>();
    private final Map<Object, Integer> ofTenant = new HashMap<>();

    /**
     * An empty set of places.
     *
     * @param most concurrent connections
     * @param mostOfAddress most concurrent connections from one address
     * @param tenants the number of tenants
     */
    public TenantPlaces(int most, int mostOfAddress, int tenants) {
        places = new ConnectionPlaces<>(most, mostOfAddress);
        mostOfTenant = tenants > 1 ? Math.max(1, most - most / QUARTERS) : most;
    }

    /** Like {@link ConnectionPlaces#enter}. */
    public synchronized Optional<C> enter(C connection, Object address) {
        Optional<C> out = places.enter(connection, address);
        out.ifPresent(this::leave);
        return out;
    }

    /**
     * Assigns an entered connection to a tenant; returns whether the connection keeps its place.
     */
    public synchronized boolean keep(C connection, Object tenant) {
        if (!kept.containsKey(connection)) {
            if (ofTenant.getOrDefault(tenant, 0) >= mostOfTenant) {
                return false;
            }
            kept.put(connection, tenant);
            ofTenant.merge(tenant, 1, Integer::sum);
            places.earn(connection);
        }
        return true;
    }

    /** Removes a connection that has ended or is about to end. Idempotent. */
    public synchronized void leave(C connection) {
        places.leave(connection);
        Object tenant = kept.remove(connection);
        if (tenant != null) {
            ofTenant.computeIfPresent(tenant, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    /** The number of connections with a place. */
    public int count() {
        return places.count();
    }
}
