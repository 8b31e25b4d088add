package dev.blobshuffle.kafka.membership;

import dev.blobshuffle.core.membership.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who is alive, by what the membership topic says. The only clock is the largest timestamp in the topic, which the brokers write: members whose clocks differ agree, and
 * while the brokers do not answer nobody is taken for dead. Owned by the membership's thread.
 */
final class LiveMembers {
    /** Far more than there are; a topic that holds other things must not fill the memory. */
    private static final int MOST = 10_000;

    private final Duration timeToLive;
    private final Duration timeToRemember;
    private final List<Member> listed;
    private final Map<Long, Heard> known = new HashMap<>();
    private long now = Long.MIN_VALUE;
    private boolean hasChanged = true;
    private MemberSnapshot snapshot;

    /** @param presence empty where the member's words are of a later version: it must be forgotten like the others */
    private record Heard(Optional<Presence> presence, long timestamp, boolean isAlive) {}

    /**
     * Nobody but those that settings list.
     *
     * @param timeToLive time without a word after which a member is taken for dead
     * @param timeToRemember time without a word after which its record may be deleted
     * @param listed members that settings list, always alive
     */
    LiveMembers(Duration timeToLive, Duration timeToRemember, List<Member> listed) {
        this.timeToLive = timeToLive;
        this.timeToRemember = timeToRemember;
        this.listed = List.copyOf(listed);
        snapshot = MemberSnapshot.of(0, this.listed, List.of());
    }

    /**
     * A record of the topic.
     *
     * @param timestamp as the broker wrote it, milliseconds
     */
    void heard(byte @Nullable [] key, byte @Nullable [] value, long timestamp) {
        now = Math.max(now, timestamp);
        Optional<Long> id = PresenceCodec.id(key);
        if (id.isEmpty()) {
            return;
        }
        if (value == null) {
            Heard gone = known.remove(id.get());
            hasChanged |= gone != null && gone.isAlive();
            return;
        }
        Heard before = known.get(id.get());
        if (before == null && known.size() >= MOST || before != null && before.timestamp() > timestamp) {
            return;
        }
        Optional<Presence> presence = PresenceCodec.presence(id.get(), value);
        Heard after = new Heard(presence, timestamp, presence.isPresent() && isAlive(timestamp));
        known.put(id.get(), after);
        hasChanged |= before == null
                || before.isAlive() != after.isAlive()
                || !before.presence().equals(presence);
    }

    private boolean isAlive(long timestamp) {
        return now - timestamp <= timeToLive.toMillis();
    }

    /** What is known now; the same object while nothing changes. */
    MemberSnapshot snapshot() {
        known.replaceAll((id, member) -> {
            if (!member.isAlive() || isAlive(member.timestamp())) {
                return member;
            }
            hasChanged = true;
            return new Heard(member.presence(), member.timestamp(), false);
        });
        if (hasChanged) {
            hasChanged = false;
            snapshot = MemberSnapshot.of(snapshot.version() + 1, listed, alive());
        }
        return snapshot;
    }

    private Collection<Presence> alive() {
        List<Presence> alive = new ArrayList<>();
        for (Heard member : known.values()) {
            if (member.isAlive()) {
                member.presence().ifPresent(alive::add);
            }
        }
        return alive;
    }

    /**
     * The members whose records are to be deleted, because they are long dead. One survivor does that, the one with the smallest id; if two believe to be that one, both do, which
     * does no harm.
     *
     * @param self the asking member
     */
    List<Long> toForget(long self) {
        List<Long> dead = new ArrayList<>();
        for (Map.Entry<Long, Heard> member : known.entrySet()) {
            if (member.getValue().isAlive() && Long.compareUnsigned(member.getKey(), self) < 0) {
                return List.of();
            }
            if (now - member.getValue().timestamp() > timeToRemember.toMillis()) {
                dead.add(member.getKey());
            }
        }
        return dead;
    }
}
