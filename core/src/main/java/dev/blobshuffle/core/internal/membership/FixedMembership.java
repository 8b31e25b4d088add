package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.zone.Zone;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The membership of an instance that does not announce itself. The settings list the other members.
 * Immutable.
 */
record FixedMembership(FixedZoneMap listed) implements Membership, Membership.Reading {
    @Override
    public void join(Optional<Member> self) {}

    @Override
    public Reading reading() {
        return this;
    }

    @Override
    public void reads(Set<Partition> partitions) {}

    @Override
    public List<Member> members() {
        return listed.members();
    }

    @Override
    public List<Member> members(Zone zone) {
        return listed.members(zone);
    }

    @Override
    public Optional<Zone> zoneOf(Partition partition) {
        return listed.zoneOf(partition);
    }

    @Override
    public void close() {}
}
