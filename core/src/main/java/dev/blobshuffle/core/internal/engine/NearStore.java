package dev.blobshuffle.core.internal.engine;

import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.cache.ZoneCachedBlobStore;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.util.Optional;
import java.util.Set;

/** The store behind all its caches: in memory, on disk and of the zone. Thread-safe. */
final class NearStore implements AutoCloseable {
    private final CachedBlobStore local;
    private final BlobStore store;
    private final Optional<ZonePeers> peers;
    private final Optional<Member> member;

    private NearStore(CachedBlobStore local, BlobStore store, Optional<ZonePeers> peers, Optional<Member> member) {
        this.local = local;
        this.store = store;
        this.peers = peers;
        this.member = member;
    }

    /**
     * Opens the caches before a store, and starts to answer other members. Blocks.
     *
     * @param store closed with this
     * @param writer the number in the ids of the blobs that this instance writes
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: a directory or an
     *     address cannot be used
     */
    static NearStore open(
            BlobStore store,
            CacheOptions caching,
            Optional<ZonePeers> peers,
            long writer,
            ShuffleMetrics metrics,
            Time time) {
        CachedBlobStore local = Caches.before(store, caching, metrics, time);
        if (peers.isEmpty()) {
            return new NearStore(local, local, peers, Optional.empty());
        }
        try {
            ZonePeers others = peers.get();
            Optional<Endpoint> endpoint = others.network().serve(local);
            BlobStore zoned = new ZoneCachedBlobStore(
                    local,
                    caching.zone(),
                    endpoint.flatMap(own -> listed(others, own)).orElse(writer),
                    others.members(),
                    others.network().client(),
                    time,
                    metrics,
                    caching.whenReceiving());
            return new NearStore(
                    local,
                    zoned,
                    peers,
                    endpoint.map(own -> new Member(writer, own, caching.zone(), Set.of(), Footer.VERSION)));
        } catch (RuntimeException | Error e) {
            local.close();
            throw e;
        }
    }

    /**
     * The id under which a fixed list names this instance, found by its endpoint. It may differ
     * from the writer.
     */
    private static Optional<Long> listed(ZonePeers others, Endpoint own) {
        return others.members().members().stream()
                .filter(listed -> listed.endpoint().equals(own))
                .map(Member::id)
                .findFirst();
    }

    BlobStore store() {
        return store;
    }

    Optional<Member> member() {
        return member;
    }

    Optional<PeerNetwork> network() {
        return peers.map(ZonePeers::network);
    }

    /** Stops answering other members, then closes the caches. Idempotent. */
    @Override
    public void close() {
        peers.ifPresent(others -> others.network().close());
        local.close();
    }
}
