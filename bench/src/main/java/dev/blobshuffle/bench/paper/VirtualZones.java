package dev.blobshuffle.bench.paper;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.PeerClient;
import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.cache.PeerPages;
import dev.blobshuffle.core.internal.combine.HandOver;
import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The members of all zones and the network between them, under virtual time: every member knows all
 * others, and an answer takes one round trip. Guarded by the simulation's baton.
 */
final class VirtualZones implements ZoneMap {
    /** Time from one instance of a zone to another. */
    private static final Duration ONE_WAY = Duration.ofMillis(1);

    private static final int PORT = 7400;

    private final Map<Endpoint, CachedBlobStore> servers = new HashMap<>();
    private final List<Member> joined = new ArrayList<>();
    private ZoneMap known = new FixedZoneMap(List.of());
    private long reads;

    /** Adds a member, which all others then know. */
    void join(Member member) {
        joined.add(member);
        known = new FixedZoneMap(joined);
    }

    /** Reads from another member's cache so far. */
    long reads() {
        return reads;
    }

    @Override
    public List<Member> members() {
        return known.members();
    }

    @Override
    public List<Member> members(Zone zone) {
        return known.members(zone);
    }

    @Override
    public long version() {
        return joined.size();
    }

    @Override
    public Optional<Zone> zoneOf(Partition partition) {
        return known.zoneOf(partition);
    }

    /** The network as one instance sees it. */
    PeerNetwork network(String host, Time time) {
        return new Network(new Endpoint(host, PORT), time);
    }

    private final class Network implements PeerNetwork, PeerClient {
        private final Endpoint own;
        private final Time time;

        Network(Endpoint own, Time time) {
            this.own = own;
            this.time = time;
        }

        @Override
        public PeerClient client() {
            return this;
        }

        @Override
        public Optional<Endpoint> serve(CachedBlobStore store) {
            servers.put(own, store);
            return Optional.of(own);
        }

        @Override
        public void combineBy(Hub hub) {
            throw new UnsupportedOperationException();
        }

        @Override
        public HandOver handOver() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void answerFrom(PeerPages pages) {
            throw new UnsupportedOperationException("Cannot send pages here: the shuffles of the paper have none.");
        }

        @Override
        public CompletionStage<ByteBuffer> ask(Member member, String request, int maxBytes) {
            throw new UnsupportedOperationException("Cannot ask for a page here: the shuffles of the paper have none.");
        }

        @Override
        public CompletionStage<BlobBytes> get(Member member, BlobId id, BlobRange range) {
            CompletableFuture<BlobBytes> answer = new CompletableFuture<>();
            time.schedule(ONE_WAY, () -> ask(member, id, range, answer));
            return answer;
        }

        private void ask(Member member, BlobId id, BlobRange range, CompletableFuture<BlobBytes> answer) {
            CachedBlobStore server = servers.get(member.endpoint());
            if (server == null) {
                answer.completeExceptionally(new StoreUnavailableException(
                        "Cannot read blob " + id + ": no member is at " + member.endpoint() + ". Ask the store."));
                return;
            }
            reads++;
            server.get(id, range)
                    .whenComplete((bytes, failure) -> time.schedule(ONE_WAY, () -> {
                        if (failure == null) {
                            answer.complete(bytes);
                        } else {
                            answer.completeExceptionally(failure);
                        }
                    }));
        }

        @Override
        public void close() {}
    }
}
