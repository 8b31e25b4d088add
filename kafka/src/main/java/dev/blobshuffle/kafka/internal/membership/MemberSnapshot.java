package dev.blobshuffle.kafka.internal.membership;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The members at one moment, and the zones of partitions ({@link ReaderZones}). Immutable. */
record MemberSnapshot(long version, List<Member> members, Map<Zone, List<Member>> byZone, ReaderZones zones)
        implements ZoneMap {
    static MemberSnapshot of(long version, List<Member> listed, Collection<Presence> alive) {
        List<Member> members = new ArrayList<>(listed);
        alive.forEach(presence -> presence.member().ifPresent(members::add));
        Map<Zone, List<Member>> byZone = new HashMap<>();
        members.forEach(member ->
                byZone.computeIfAbsent(member.zone(), zone -> new ArrayList<>()).add(member));
        return new MemberSnapshot(version, List.copyOf(members), byZone, ReaderZones.of(alive));
    }

    @Override
    public List<Member> members(Zone zone) {
        return byZone.getOrDefault(zone, List.of());
    }

    @Override
    public Optional<Zone> zoneOf(Partition partition) {
        return zones.of(partition);
    }
}
