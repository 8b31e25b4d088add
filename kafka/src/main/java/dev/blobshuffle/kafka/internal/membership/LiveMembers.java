package dev.blobshuffle.kafka.internal.membership;

import dev.blobshuffle.core.internal.membership.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The members that are alive, according to the records of the membership topic. The only clock is
 * the largest timestamp in the topic, which the brokers set. So members agree even if their clocks
 * differ, and while the brokers do not answer, no member counts as dead. If members share a secret,
 * only signed records count. Owned by the membership's thread.
 */
final class LiveMembers {
    /**
     * Limit on members, far above real numbers. Protects the memory if the topic holds other data.
     */
    private static final int MOST = 10_000;

    /**
     * Limit on the weight of all members together. Weight stands for bytes of memory: the limit is
     * enough for a thousand members with 900 ranges each.
     */
    static final long MOST_WEIGHT = 16L << 20;

    private static final int WEIGHT_OF_TOPIC = 128;
    private static final int WEIGHT_OF_RANGE = 16;

    private final Duration timeToLive;
    private final Duration timeToRemember;
    private final List<Member> listed;
    private final MemberSignature signature;
    private final Refusals refusals;
    private final Map<Long, Heard> known = new HashMap<>();

    /** The timestamps of records that belong to no member; such records are deleted eventually. */
    private final Map<Long, Long> strangers = new HashMap<>();

    /**
     * The newest epoch of each instance, including instances that left. The eldest entry is removed
     * first.
     */
    private final Map<Long, Epoch> epochs = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Epoch> eldest) {
            return size() > MOST;
        }
    };

    private long weight;
    private long now = Long.MIN_VALUE;
    private boolean hasChanged = true;
    private MemberSnapshot snapshot;

    private record Heard(Presence presence, long timestamp, boolean isAlive, long weight) {}

    private record Epoch(long epoch, long timestamp) {}

    /**
     * Starts with only the members that the settings list.
     *
     * @param timing silence after which a member counts as dead, and after which its record is
     *     deleted
     * @param listed members that settings list, always alive
     * @param signature decides which records count
     * @param refusals receives the records that do not count
     */
    LiveMembers(MembershipTiming timing, List<Member> listed, MemberSignature signature, Refusals refusals) {
        this.timeToLive = timing.timeToLive();
        this.timeToRemember = timing.timeToRemember();
        this.listed = List.copyOf(listed);
        this.signature = signature;
        this.refusals = refusals;
        snapshot = MemberSnapshot.of(0, this.listed, List.of());
    }

    /** Receives records that look like a member's but were refused. */
    interface Refusals {
        /** Called for each ignored record, with the reason. */
        void refused(long id, String reason);
    }

    /**
     * Handles a record of the topic.
     *
     * @param timestamp set by the broker, in milliseconds
     */
    void heard(byte @Nullable [] key, byte @Nullable [] value, long timestamp) {
        now = Math.max(now, timestamp);
        Optional<Long> id = PresenceCodec.id(key);
        if (id.isEmpty() || key == null) {
            return;
        }
        if (value == null) {
            forget(id.get());
            strangers.remove(id.get());
            return;
        }
        Heard before = known.get(id.get());
        if (before != null && before.timestamp() > timestamp) {
            return;
        }
        Optional<Presence> presence =
                isSigned(id.get(), key, value, timestamp) ? PresenceCodec.presence(id.get(), value) : Optional.empty();
        if (presence.isEmpty()) {
            stranger(id.get(), timestamp);
        } else {
            member(presence.get(), value.length, timestamp);
        }
    }

    private boolean isSigned(long id, byte[] key, byte[] value, long timestamp) {
        if (!signature.isRequired()) {
            return true;
        }
        OptionalLong epoch = signature.epoch(key, value);
        Epoch last = epochs.get(id);
        if (epoch.isEmpty()) {
            refusals.refused(id, "it is not signed with this instance's secret");
        } else if (Math.abs(timestamp - epoch.getAsLong()) > MemberSignature.LARGEST_SKEW.toMillis()) {
            refusals.refused(
                    id,
                    "it was signed " + Duration.ofMillis(timestamp - epoch.getAsLong())
                            + " before the broker wrote it: it was copied, or a clock is wrong");
        } else if (last != null && epoch.getAsLong() <= last.epoch() && timestamp > last.timestamp()) {
            refusals.refused(id, "it repeats an earlier one");
        } else {
            epochs.remove(id); // So that the newest word is the last to go.
            epochs.put(id, new Epoch(epoch.getAsLong(), timestamp));
            return true;
        }
        return false;
    }

    private void stranger(long id, long timestamp) {
        if (!signature.isRequired()) {
            forget(id); // A record of a later version took its place.
        }
        if (!known.containsKey(id) && (strangers.size() < MOST || strangers.containsKey(id))) {
            strangers.put(id, timestamp);
        }
    }

    private void member(Presence presence, int length, long timestamp) {
        Heard before = known.get(presence.id());
        long itsWeight = length
                + (long) WEIGHT_OF_TOPIC * presence.reads().topics()
                + WEIGHT_OF_RANGE * presence.reads().ranges();
        long others = weight - (before == null ? 0 : before.weight());
        boolean isTooMany = before == null && known.size() >= MOST;
        if (isTooMany || others + itsWeight > MOST_WEIGHT) {
            refusals.refused(presence.id(), "there are more members or ranges of partitions than this instance keeps");
            return;
        }
        weight = others + itsWeight;
        strangers.remove(presence.id());
        Heard after = new Heard(presence, timestamp, isAlive(timestamp), itsWeight);
        known.put(presence.id(), after);
        hasChanged |= before == null
                || before.isAlive() != after.isAlive()
                || !before.presence().equals(presence);
    }

    private void forget(long id) {
        Heard gone = known.remove(id);
        if (gone != null) {
            weight -= gone.weight();
            hasChanged |= gone.isAlive();
        }
    }

    private boolean isAlive(long timestamp) {
        return now - timestamp <= timeToLive.toMillis();
    }

    /** The current members; the same object until something changes. */
    MemberSnapshot snapshot() {
        known.replaceAll((id, member) -> {
            if (!member.isAlive() || isAlive(member.timestamp())) {
                return member;
            }
            hasChanged = true;
            return new Heard(member.presence(), member.timestamp(), false, member.weight());
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
                alive.add(member.presence());
            }
        }
        return alive;
    }

    /**
     * The members whose records this instance should delete: members that have been dead for long,
     * and records that belong to no member. The live member with the smallest id deletes them. If
     * two members both consider themselves that member, both delete the records, which is harmless.
     *
     * @param self the id of this member
     */
    List<Long> toForget(long self) {
        List<Long> dead = new ArrayList<>();
        for (Map.Entry<Long, Heard> member : known.entrySet()) {
            if (member.getValue().isAlive() && Long.compareUnsigned(member.getKey(), self) < 0) {
                return List.of();
            }
            if (isLongGone(member.getValue().timestamp())) {
                dead.add(member.getKey());
            }
        }
        strangers.forEach((id, timestamp) -> {
            if (isLongGone(timestamp)) {
                dead.add(id);
            }
        });
        return dead;
    }

    private boolean isLongGone(long timestamp) {
        return now - timestamp > timeToRemember.toMillis();
    }
}
