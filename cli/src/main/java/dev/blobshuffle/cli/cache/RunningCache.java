package dev.blobshuffle.cli.cache;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.cache.PeerNetworkProvider;
import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.CombineSettings;
import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.internal.metrics.MetricsEndpoint;
import dev.blobshuffle.core.internal.metrics.MetricsSettings;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * A running cache: a store, caches in front of it, and a server for the zone's instances.
 * Thread-safe.
 */
final class RunningCache implements AutoCloseable {
    /** In the order of opening. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private final Endpoint endpoint;
    private final Optional<Endpoint> metricsEndpoint;

    private RunningCache(Settings settings) {
        try {
            SystemTime time = opened(new SystemTime());
            ShuffleMetrics metrics = new ShuffleMetrics(time);
            metrics.locate(settings.zone());
            BlobStore store = opened(BlobStores.open(
                    StoreSettings.uri(settings), new StoreContext(time, MeteredBlobStore.meter(metrics)).existing()));
            BlobStore metered = new MeteredBlobStore(store, metrics, time);
            CachedBlobStore cached = opened(Caches.toServe(metered, CacheOptions.of(settings), metrics, time));
            PeerNetwork network = opened(PeerNetworkProvider.openInstalled(settings, metrics, time));
            endpoint = network.serve(cached)
                    .orElseThrow(() ->
                            new InvalidSettingsException("Cannot serve: no address is given. Give one to listen on."));
            if (settings.value(CombineSettings.SERVE)) {
                network.combineBy(opened(hub(settings, cached, time, metrics)));
            }
            LabelledMetrics shown = LabelledMetrics.alone(metrics)
                    .with("zone", Optional.of(settings.zone().name()));
            metricsEndpoint = settings.value(MetricsSettings.LISTEN)
                    .map(listen ->
                            opened(MetricsEndpoint.publish(listen, shown)).address());
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /**
     * Opens a store and serves it. Blocks until the server is ready.
     *
     * @throws InvalidSettingsException fatal: the settings are unusable
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the store is
     *     unavailable
     */
    static RunningCache open(Settings settings) {
        return new RunningCache(settings);
    }

    /**
     * A hub for the owners of the parts that it takes. It needs no owner of its own: the
     * contributors have the permission to store.
     */
    private static Hub hub(Settings settings, BlobStore store, SystemTime time, ShuffleMetrics metrics) {
        Hub.Names names = new Hub.Names(BlobId.writer(time.randomLong()), 0);
        return new Hub(store, CombineOptions.of(settings), time, metrics, names, owner -> true);
    }

    private <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    /** The address at which others reach the server. */
    Endpoint endpoint() {
        return endpoint;
    }

    /** The address of the metrics; empty if there is none. */
    Optional<Endpoint> metricsEndpoint() {
        return metricsEndpoint;
    }

    /** Closes the server, the caches and the store. Files on disk stay. Idempotent. */
    @Override
    public synchronized void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(
                        "Cannot close a part of the cache: its contract allows no such failure.", e);
            }
        }
    }
}
