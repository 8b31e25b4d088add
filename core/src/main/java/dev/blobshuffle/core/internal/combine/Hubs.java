package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PeerCircuits;
import dev.blobshuffle.core.internal.membership.SectionOwners;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Chooses the hub of a zone. Instances that know the same members choose the same one, by
 * rendezvous hashing; if they differ, combined blobs are smaller. Thread-safe.
 */
public final class Hubs {
    /** For this long a member that is no hub is not asked again. */
    private static final Duration NO_HUB = Duration.ofMinutes(1);

    /** Bounds the table as members come and go. */
    private static final int MOST = 4096;

    private final ZoneMap members;
    private final Zone zone;
    private final long self;
    private final Optional<Member> own;
    private final Time time;
    private final PeerCircuits circuits;
    private final Map<Long, Long> noHubs = new ConcurrentHashMap<>();

    /**
     * The hubs of a zone.
     *
     * @param self this instance's id among the members
     * @param own this instance as a hub; empty if it is none
     */
    public Hubs(ZoneMap members, Zone zone, long self, Optional<Member> own, Time time) {
        this.members = members;
        this.zone = zone;
        this.self = self;
        this.own = own;
        this.time = time;
        circuits = new PeerCircuits(time);
    }

    /** The hub for the blobs of an owner; empty if no member of the zone is usable. */
    Optional<Member> choose(int owner) {
        return SectionOwners.ofCombining(candidates(), owner, this::isUsable);
    }

    /** Whether a member of the zone may be asked now. */
    public boolean isAnyUsable() {
        for (Member member : candidates()) {
            if (mayBeHub(member) && !circuits.isLeftAlone(member.id())) {
                return true;
            }
        }
        return false;
    }

    private List<Member> candidates() {
        List<Member> candidates = new ArrayList<>();
        for (Member member : members.members(zone)) {
            if (member.id() != self) {
                candidates.add(member);
            }
        }
        own.ifPresent(candidates::add);
        return candidates;
    }

    private boolean isUsable(Member member) {
        return mayBeHub(member) && circuits.allows(member.id());
    }

    private boolean mayBeHub(Member member) {
        Long since = noHubs.get(member.id());
        return since == null || time.nanos() - since >= NO_HUB.toNanos();
    }

    /** Records that a member is no hub. */
    void isNone(Member member) {
        if (noHubs.size() >= MOST) {
            noHubs.clear();
        }
        noHubs.put(member.id(), time.nanos());
    }

    /** Records that a member combined a part, or is busy but works. */
    void works(Member member) {
        noHubs.remove(member.id());
        circuits.answered(member.id());
    }

    /** Records that a member failed. */
    void failed(Member member) {
        circuits.failed(member.id());
    }
}
