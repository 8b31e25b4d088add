package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.zone.Zone;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The network between zones, as a bill would see it: each zone has a way of its own to each member,
 * on which bytes are counted, so nobody is asked who he is. Thread-safe.
 */
final class ZoneRoutes implements AutoCloseable {
    private final Map<Route, AccountingProxy> ways = new ConcurrentHashMap<>();

    private record Route(Zone from, Zone to, Endpoint member) {}

    /** Bytes, requests and answers, between askers in a zone and members in a zone. */
    long bytes(Zone from, Zone to) {
        return ways.entrySet().stream()
                .filter(way ->
                        way.getKey().from().equals(from) && way.getKey().to().equals(to))
                .mapToLong(way -> way.getValue().toMember() + way.getValue().fromMember())
                .sum();
    }

    /** What a member of a zone knows of the others, who are reached over the ways of its zone. */
    Membership seenFrom(Zone zone, Membership membership) {
        return new Routed(zone, membership);
    }

    private Member routed(Zone from, Member member) {
        Endpoint endpoint = ways.computeIfAbsent(
                        new Route(from, member.zone(), member.endpoint()), route -> new AccountingProxy(route.member()))
                .endpoint();
        return new Member(member.id(), endpoint, member.zone(), member.partitions(), member.formatVersion());
    }

    @Override
    public void close() throws IOException {
        for (AccountingProxy way : ways.values()) {
            way.close();
        }
    }

    private final class Routed implements Membership {
        private final Zone zone;
        private final Membership membership;

        Routed(Zone zone, Membership membership) {
            this.zone = zone;
            this.membership = membership;
        }

        @Override
        public void join(Optional<Member> self) {
            membership.join(self);
        }

        @Override
        public Reading reading() {
            return membership.reading();
        }

        @Override
        public List<Member> members() {
            return membership.members().stream()
                    .map(member -> routed(zone, member))
                    .toList();
        }

        @Override
        public List<Member> members(Zone where) {
            return membership.members(where).stream()
                    .map(member -> routed(zone, member))
                    .toList();
        }

        @Override
        public long version() {
            return membership.version();
        }

        @Override
        public Optional<Zone> zoneOf(Partition partition) {
            return membership.zoneOf(partition);
        }

        @Override
        public void close() {
            membership.close();
        }
    }
}
