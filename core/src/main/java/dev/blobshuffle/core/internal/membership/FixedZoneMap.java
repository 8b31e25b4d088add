package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A fixed list of members, alive or not. Immutable. */
public final class FixedZoneMap implements ZoneMap {
    private final List<Member> members;
    private final Map<Zone, List<Member>> byZone = new HashMap<>();
    private final Map<Partition, Zone> zones = new HashMap<>();

    /** A map of the given members. */
    public FixedZoneMap(Collection<Member> members) {
        this.members = List.copyOf(members);
        for (Member member : this.members) {
            byZone.computeIfAbsent(member.zone(), zone -> new ArrayList<>()).add(member);
            member.partitions().forEach(partition -> zones.put(partition, member.zone()));
        }
    }

    /**
     * The caches that a setting lists, each {@code zone=host:port}. Their ids derive from their
     * endpoints, so that all instances with the same list agree.
     *
     * @throws InvalidSettingsException fatal: an entry is not of this form
     */
    public static List<Member> caches(List<String> texts) {
        List<Member> caches = new ArrayList<>();
        for (String text : texts) {
            int equals = text.indexOf('=');
            if (equals < 0 || text.substring(0, equals).isBlank()) {
                throw new InvalidSettingsException("Cannot use member '" + text
                        + "': it is not of the form zone=host:port. Give for example us-east-1a=10.0.0.7:7400.");
            }
            Endpoint endpoint = Endpoint.parse(text.substring(equals + 1).strip());
            Zone zone = new Zone(text.substring(0, equals).strip());
            caches.add(new Member(SectionOwners.hash(endpoint.toString()), endpoint, zone, Set.of(), 1));
        }
        return caches;
    }

    @Override
    public List<Member> members() {
        return members;
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
