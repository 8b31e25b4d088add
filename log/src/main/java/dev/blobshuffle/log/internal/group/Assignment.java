package dev.blobshuffle.log.internal.group;

import dev.blobshuffle.core.zone.Zone;
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
 * Assigns the partitions of a group to its members. The result is a pure function of the members,
 * the partitions and the present owners, so it does not matter which member computes it.
 *
 * <p>If all members read the same topics, their numbers of partitions differ by at most one. Within
 * that limit, a partition goes to its home zone, and stays with its owner. A second assignment in a
 * row changes nothing. If members read different topics, a partition goes to the reader with the
 * fewest partitions.
 *
 * <p>There are four passes, each within the members' quotas: keep owners in the home zone; give
 * remaining partitions to readers in the home zone; keep the other owners; give the rest to the
 * zone that fits next, which is the same in each group.
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
     * @param owners the members that own partitions, or are the next owners; members that are not
     *     live do not count
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

    /**
     * Gives the larger quotas to zones that are home to more partitions than their smaller quotas
     * have room for. Within a zone, the members with the most partitions get them, so that fewer
     * partitions move.
     */
    private void setQuotas(Set<LogPartition> open, Map<LogPartition, UUID> owners) {
        Map<Zone, Integer> demand = new HashMap<>();
        for (LogPartition partition : open) {
            Share share = owner(partition, owners);
            if (share != null) {
                share.owned++;
            }
            Zone home = homes.apply(partition).zone(partition);
            if (home != null) {
                demand.merge(home, 1, Integer::sum);
            }
        }
        List<Share> byOwned = new ArrayList<>(shares.values());
        byOwned.sort(Comparator.<Share>comparingInt(share -> -share.owned).thenComparing(share -> share.member.id()));
        int least = open.size() / Math.max(1, byOwned.size());
        for (Share share : byOwned) {
            share.quota = least;
            demand.merge(share.member.zone(), -least, Integer::sum);
        }
        int larger = open.size() - least * byOwned.size();
        for (Share share : byOwned) {
            if (larger > 0 && demand.getOrDefault(share.member.zone(), 0) > 0) {
                demand.merge(share.member.zone(), -1, Integer::sum);
                share.quota++;
                larger--;
            }
        }
        for (Share share : byOwned) {
            if (larger > 0 && share.quota == least) {
                share.quota++;
                larger--;
            }
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

    /** Assigns open partitions. Exceeds a quota only if no reader of the topic has room. */
    private void fill(Set<LogPartition> open) {
        for (LogPartition partition : List.copyOf(open)) {
            Share least = null;
            for (Share share : readers.getOrDefault(partition.topic(), List.of())) {
                if (least == null || isBetter(partition, share, least)) {
                    least = share;
                }
            }
            if (least != null) {
                assign(open, partition, least);
            }
        }
    }

    private static boolean isBetter(LogPartition partition, Share share, Share other) {
        if (share.hasRoom() != other.hasRoom()) {
            return share.hasRoom();
        }
        long affinity = HomeZones.affinity(partition, share.member.zone());
        long others = HomeZones.affinity(partition, other.member.zone());
        return !share.hasRoom() || affinity == others ? share.count < other.count : affinity > others;
    }

    private boolean isHome(Share share, LogPartition partition) {
        Zone home = homes.apply(partition).zone(partition);
        return home == null || home.equals(share.member.zone());
    }

    private void assign(Set<LogPartition> open, LogPartition partition, Share share) {
        open.remove(partition);
        assigned.put(partition, share.member.id());
        share.count++;
    }

    /** The partitions of one member. */
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
