package dev.blobshuffle.log.internal.group;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The rows of one group, and the rules by which members join, leave and hand partitions over. A log
 * loads the rows under the group's lock, applies one step, and writes {@link #changed()}. Owned by
 * one thread.
 *
 * <pre>
 *   unowned ──assigned──▶ owned ──assigned to another──▶ wanted ──released──▶ owned by the other
 *      ▲                    │                              │
 *      └── lease ended, left, topic not read any more ─────┘   (generation + 1 with each new owner)
 * </pre>
 */
public final class GroupTable {
    private final String group;
    private final Map<UUID, Member> members = new LinkedHashMap<>();
    private final TreeMap<LogPartition, Row> rows = new TreeMap<>();
    private final Set<LogPartition> changed = new LinkedHashSet<>();
    private final long before;
    private Set<Integer> absent = Set.of();
    private long generation;

    /**
     * The rows of a group.
     *
     * @param generation of the group; 0 for a new one
     * @param live the members whose lease has not ended
     * @param rows the group's partitions
     */
    public GroupTable(String group, long generation, Collection<Member> live, Collection<Row> rows) {
        this.group = group;
        this.generation = generation;
        before = generation;
        live.forEach(member -> members.put(member.id(), member));
        rows.forEach(row -> this.rows.put(row.partition(), row));
    }

    /**
     * A member joins, or renews its lease, and gives partitions back.
     *
     * @param partitions number of partitions of each topic that a member of the group reads; a
     *     missing topic was deleted
     * @param homes the home zones of a topic
     */
    public void renew(
            Member member,
            Set<LogPartition> released,
            Map<Integer, Integer> partitions,
            Function<Integer, HomeZones> homes) {
        boolean isNew = !member.equals(members.put(member.id(), member));
        absent = member.topics().stream()
                .filter(topic -> !partitions.containsKey(topic))
                .collect(Collectors.toSet());
        for (LogPartition partition : released) {
            Row row = rows.get(partition);
            if (row != null && row.isOwnedBy(member.id())) {
                put(row.ownedBy(row.wantedBy().filter(members::containsKey)));
            }
        }
        assign(isNew, partitions, homes);
    }

    /**
     * Assigns partitions again, because readers of other groups may have changed the home zones
     * since the last assignment. Changes nothing if they have not. As {@link #renew}.
     */
    public void followHomes(Map<Integer, Integer> partitions, Function<Integer, HomeZones> homes) {
        Set<Integer> read = read(partitions);
        assign(false, read, all(read, partitions), homes);
    }

    /** A member leaves: its partitions go to others. As {@link #renew}. */
    public void leave(UUID member, Map<Integer, Integer> partitions, Function<Integer, HomeZones> homes) {
        assign(members.remove(member) != null, partitions, homes);
    }

    private void assign(boolean isChanged, Map<Integer, Integer> partitions, Function<Integer, HomeZones> homes) {
        Set<Integer> read = read(partitions);
        List<LogPartition> all = all(read, partitions);
        if (isChanged || !isSettled(all, read)) {
            assign(true, read, all, homes);
        }
    }

    private Set<Integer> read(Map<Integer, Integer> partitions) {
        return members.values().stream()
                .flatMap(member -> member.topics().stream())
                .filter(partitions::containsKey)
                .collect(Collectors.toSet());
    }

    private static List<LogPartition> all(Set<Integer> read, Map<Integer, Integer> partitions) {
        return read.stream()
                .sorted()
                .flatMap(topic -> IntStream.range(0, partitions.getOrDefault(topic, 0))
                        .mapToObj(partition -> new LogPartition(topic, partition)))
                .toList();
    }

    private void assign(
            boolean isChanged, Set<Integer> read, List<LogPartition> all, Function<Integer, HomeZones> homes) {
        Map<LogPartition, UUID> owners = new HashMap<>();
        rows.values()
                .forEach(row -> row.wantedBy()
                        .filter(members::containsKey)
                        .or(row::owner)
                        .ifPresent(owner -> owners.put(row.partition(), owner)));
        Map<Integer, HomeZones> known = new HashMap<>();
        read.forEach(topic -> known.put(topic, homes.apply(topic)));
        Map<LogPartition, UUID> target = Assignment.of(
                members.values(), all, owners, partition -> known.getOrDefault(partition.topic(), HomeZones.none()));
        if (!isChanged && target.equals(owners)) {
            return;
        }
        generation++;
        all.forEach(partition -> handOver(partition, Optional.ofNullable(target.get(partition))));
        List.copyOf(rows.values()).stream()
                .filter(row -> !target.containsKey(row.partition()))
                .forEach(row -> handOver(row.partition(), Optional.empty()));
    }

    /**
     * Whether each partition with a reader has live owners, now and next, and no other partition
     * has an owner.
     */
    private boolean isSettled(List<LogPartition> all, Set<Integer> read) {
        boolean haveOwners = all.stream().allMatch(partition -> {
            Row row = rows.get(partition);
            return row != null
                    && row.owner().filter(owner -> reads(owner, partition)).isPresent()
                    && row.wantedBy().filter(next -> !reads(next, partition)).isEmpty();
        });
        Set<LogPartition> known = Set.copyOf(all);
        return haveOwners
                && rows.values().stream().noneMatch(row -> row.owner().isPresent() && !known.contains(row.partition()));
    }

    private boolean reads(UUID owner, LogPartition partition) {
        Member member = members.get(owner);
        return member != null && member.topics().contains(partition.topic());
    }

    /** A live owner first finishes; the next owner's generation fences all others. */
    private void handOver(LogPartition partition, Optional<UUID> next) {
        Row row = rows.getOrDefault(
                partition,
                new Row(partition, Optional.empty(), 0, Optional.empty(), OptionalLong.empty(), Optional.empty()));
        boolean isAlive = row.owner().filter(members::containsKey).isPresent();
        if (row.owner().equals(next)) {
            put(row.wantedBy(Optional.empty()));
        } else if (isAlive && next.isPresent()) {
            put(row.wantedBy(next));
        } else {
            put(row.ownedBy(next));
        }
    }

    private void put(Row row) {
        if (!row.equals(rows.put(row.partition(), row))) {
            changed.add(row.partition());
        }
    }

    /** The rows that steps have changed or added, by topic and number. */
    public List<Row> changed() {
        return changed.stream().sorted().map(this::row).toList();
    }

    private Row row(LogPartition partition) {
        Row row = rows.get(partition);
        if (row == null) {
            throw new IllegalStateException("Cannot find the row of " + partition + " in group " + group + ".");
        }
        return row;
    }

    /** The group's generation after the steps. */
    public long generation() {
        return generation;
    }

    /** Whether a step has changed the generation. */
    public boolean isReassigned() {
        return generation != before;
    }

    /** The lease of the member that a step has renewed. */
    public Lease lease(UUID member, Duration validFor) {
        List<OwnedPartition> owned = new ArrayList<>();
        for (Row row : rows.values()) {
            if (row.isOwnedBy(member)) {
                owned.add(new OwnedPartition(
                        row.partition(),
                        row.generation(),
                        row.position(),
                        row.metadata(),
                        row.wantedBy().isPresent()));
            }
        }
        return new Lease(generation, validFor, owned, absent);
    }

    /**
     * A partition of the group.
     *
     * @param partition the partition
     * @param owner the member that reads it
     * @param generation rises with each owner
     * @param wantedBy the next owner
     * @param position the committed position
     * @param metadata the text stored with the position
     */
    public record Row(
            LogPartition partition,
            Optional<UUID> owner,
            long generation,
            Optional<UUID> wantedBy,
            OptionalLong position,
            Optional<String> metadata) {
        boolean isOwnedBy(UUID member) {
            return owner.filter(member::equals).isPresent();
        }

        Row ownedBy(Optional<UUID> next) {
            long raised = owner.equals(next) ? generation : generation + 1;
            return new Row(partition, next, raised, Optional.empty(), position, metadata);
        }

        Row wantedBy(Optional<UUID> next) {
            return new Row(partition, owner, generation, next, position, metadata);
        }
    }
}
