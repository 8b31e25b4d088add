package dev.blobshuffle.core.internal.log.group;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which member of a group reads which partition. A pure function of the members, the partitions and
 * the present owners, so it does not matter which member computes it.
 *
 * <p>If all members read the same topics, their numbers of partitions differ by one at most. Within
 * that, a partition goes to its home zone, and stays with its owner. Assigning twice in a row
 * changes nothing. If members read different topics, a partition goes to the reader with the
 * fewest.
 *
 * <p>Four passes, each within the members' quotas: keep an owner in the home zone; give what is
 * left to a reader in the home zone; keep the other owners; give the rest to whoever has the
 * fewest.
 */
public final class Assignment {
    private final Map<UUID, Share> shares = new HashMap<>();
    private final Map<LogPartition, UUID> assigned = new HashMap<>();
    private final Function<LogPartition, HomeZones> homes;
    private final Map<Integer, List<Share>> readers = new HashMap<>();

    private Assignment(Collection<Member> members, Function<LogPartition, HomeZones> homes) {
        this.homes = homes;
        members.stream()
                .sorted(Comparator.comparing(Member::id))
                .map(Share::new)
                .forEach(share -> shares.put(share.member.id(), share));
        shares.values().stream()
                .sorted(Comparator.comparing(share -> share.member.id()))
                .forEach(share -> share.member
                        .topics()
                        .forEach(topic -> readers.computeIfAbsent(topic, any -> new ArrayList<>())
                                .add(share)));
    }

    /**
     * Assigns partitions.
     *
     * @param members the live members of one group
     * @param partitions all partitions of the topics that the members read
     * @param owners the members that own partitions, or are next to; members that are not live do
     *     not count
     * @param homes the home zones of a partition's topic
     * @return a reader for each partition whose topic has one
     */
    public static Map<LogPartition, UUID> of(
            Collection<Member> members,
            Collection<LogPartition> partitions,
            Map<LogPartition, UUID> owners,
            Function<LogPartition, HomeZones> homes) {
        Assignment assignment = new Assignment(members, homes);
        Set<LogPartition> open = new LinkedHashSet<>();
        partitions.stream()
                .filter(partition -> assignment.readers.containsKey(partition.topic()))
                .sorted()
                .forEach(open::add);
        assignment.setQuotas(open, owners);
        assignment.keep(open, owners, true);
        assignment.fillHomes(open);
        assignment.keep(open, owners, false);
        assignment.fill(open);
        return assignment.assigned;
    }

    /** Those who have the most keep the larger quota, so that fewer partitions move. */
    private void setQuotas(Set<LogPartition> open, Map<LogPartition, UUID> owners) {
        for (LogPartition partition : open) {
            Share share = owner(partition, owners);
            if (share != null) {
                share.owned++;
            }
        }
        List<Share> byOwned = new ArrayList<>(shares.values());
        byOwned.sort(Comparator.<Share>comparingInt(share -> -share.owned).thenComparing(share -> share.member.id()));
        int members = Math.max(1, byOwned.size());
        int larger = open.size() % members;
        for (int i = 0; i < byOwned.size(); i++) {
            byOwned.get(i).quota = open.size() / members + (i < larger ? 1 : 0);
        }
    }

    private @Nullable Share owner(LogPartition partition, Map<LogPartition, UUID> owners) {
        UUID owner = owners.get(partition);
        Share share = owner == null ? null : shares.get(owner);
        return share != null && share.member.topics().contains(partition.topic()) ? share : null;
    }

    private void keep(Set<LogPartition> open, Map<LogPartition, UUID> owners, boolean isHomeOnly) {
        for (LogPartition partition : List.copyOf(open)) {
            Share share = owner(partition, owners);
            if (share != null && share.hasRoom() && (!isHomeOnly || isHome(share, partition))) {
                assign(open, partition, share);
            }
        }
    }

    private void fillHomes(Set<LogPartition> open) {
        for (LogPartition partition : List.copyOf(open)) {
            Share least = null;
            for (Share share : readers.getOrDefault(partition.topic(), List.of())) {
                if (share.hasRoom() && isHome(share, partition) && (least == null || share.count < least.count)) {
                    least = share;
                }
            }
            if (least != null) {
                assign(open, partition, least);
            }
        }
    }

    /** The quota is exceeded only if no reader of the topic has room. */
    private void fill(Set<LogPartition> open) {
        for (LogPartition partition : List.copyOf(open)) {
            Share least = null;
            for (Share share : readers.getOrDefault(partition.topic(), List.of())) {
                boolean isBetter = least == null
                        || (share.hasRoom() && !least.hasRoom())
                        || (share.hasRoom() == least.hasRoom() && share.count < least.count);
                if (isBetter) {
                    least = share;
                }
            }
            if (least != null) {
                assign(open, partition, least);
            }
        }
    }

    private boolean isHome(Share share, LogPartition partition) {
        return homes.apply(partition).zone(partition, share.member.zone()).equals(share.member.zone());
    }

    private void assign(Set<LogPartition> open, LogPartition partition, Share share) {
        open.remove(partition);
        assigned.put(partition, share.member.id());
        share.count++;
    }

    /** What one member gets. */
    private static final class Share {
        final Member member;
        int quota;
        int owned;
        int count;

        Share(Member member) {
            this.member = member;
        }

        boolean hasRoom() {
            return count < quota;
        }
    }
}
