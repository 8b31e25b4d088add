package dev.blobshuffle.kafka.membership;

import dev.blobshuffle.core.format.Partition;
import dev.blobshuffle.core.membership.Member;
import dev.blobshuffle.core.membership.ZoneMap;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The members of a moment. A partition's zone is that of its reader; where groups in several zones read it, the zone of most of them, and of equally many the first by
 * name, so that all writers choose alike. Immutable.
 */
record MemberSnapshot(long version, List<Member> members, Map<Zone, List<Member>> byZone, Map<Partition, Zone> zones)
        implements ZoneMap {
    static MemberSnapshot of(long version, List<Member> listed, Collection<Presence> alive) {
        List<Member> members = new ArrayList<>(listed);
        Map<Partition, Map<Zone, Integer>> readers = new HashMap<>();
        for (Presence presence : alive) {
            presence.member().ifPresent(members::add);
            for (Partition partition : presence.reads()) {
                readers.computeIfAbsent(partition, unread -> new HashMap<>(2)).merge(presence.zone(), 1, Integer::sum);
            }
        }
        Map<Zone, List<Member>> byZone = new HashMap<>();
        members.forEach(member ->
                byZone.computeIfAbsent(member.zone(), zone -> new ArrayList<>()).add(member));
        Map<Partition, Zone> zones = new HashMap<>();
        readers.forEach((partition, counts) -> zones.put(partition, most(counts)));
        return new MemberSnapshot(version, List.copyOf(members), byZone, zones);
    }

    private static Zone most(Map<Zone, Integer> readers) {
        Comparator<Map.Entry<Zone, Integer>> byCount = Map.Entry.comparingByValue();
        return readers.entrySet().stream()
                .max(byCount.thenComparing(entry -> entry.getKey().name(), Comparator.reverseOrder()))
                .orElseThrow()
                .getKey();
    }

    @Override
    public List<Member> members(Zone zone) {
        return byZone.getOrDefault(zone, List.of());
    }

    @Override
    public Optional<Zone> zoneOf(Partition partition) {
        return Optional.ofNullable(zones.get(partition));
    }
}
