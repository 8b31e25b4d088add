package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.group.GroupTable;
import dev.blobshuffle.log.internal.group.Groups;
import dev.blobshuffle.log.internal.group.HomeZones;
import dev.blobshuffle.log.internal.group.Lease;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.testkit.internal.log.CommittedPositions.PartitionKey;
import dev.blobshuffle.testkit.internal.log.LockTable.Kind;
import dev.blobshuffle.testkit.internal.log.LogTables.GroupRow;
import dev.blobshuffle.testkit.internal.log.LogTables.MemberRow;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * One step of a group whose row is locked: a renewal or a leave. It locks the partitions that
 * change hands, which waits for open commits to them, and then looks again, so that the next owner
 * begins where they ended. Guarded by the database.
 */
record Rebalance(MemoryDatabase database, String name) {
    /** The members whose lease has not ended. */
    static List<Member> live(MemoryDatabase database, GroupRow group) {
        return group.members.values().stream()
                .filter(row -> row.leaseUntilMillis() > database.clockMillis())
                .map(MemberRow::member)
                .toList();
    }

    /**
     * The members that count when one renews: the live ones. If no lease is valid, the log was
     * unavailable and no member could renew. Then all members count whose leases ended together,
     * unless the renewing member is new.
     */
    private List<Member> counting(Member renewing) {
        List<Member> live = live(database, group());
        NavigableMap<UUID, MemberRow> rows = group().members;
        if (!live.isEmpty() || !rows.containsKey(renewing.id())) {
            return live;
        }
        long latest = rows.values().stream()
                .mapToLong(MemberRow::leaseUntilMillis)
                .max()
                .orElse(0);
        return rows.values().stream()
                .filter(row -> row.leaseUntilMillis() > latest - Groups.LEASE.toMillis())
                .map(MemberRow::member)
                .toList();
    }

    /** The zones of all members that read a topic. */
    static Map<Zone, Integer> zones(MemoryDatabase database, int topic) {
        Map<Zone, Integer> zones = new HashMap<>();
        database.tables()
                .groups
                .values()
                .forEach(group -> live(database, group).stream()
                        .filter(member -> member.topics().contains(topic))
                        .forEach(member -> zones.merge(member.zone(), 1, Integer::sum)));
        return zones;
    }

    private GroupRow group() {
        return database.tables().groups.getOrDefault(name, new GroupRow());
    }

    void renew(Session session, Member member, Set<LogPartition> released, Reply<Lease> reply) {
        Map<Integer, Integer> partitions = partitions();
        boolean isAway = live(database, group()).isEmpty();
        List<Member> counting = counting(member);
        step(
                session,
                counting,
                table -> {
                    table.renew(member, released, partitions, topic -> homes(topic, member));
                    table.followHomes(partitions, topic -> homes(topic, member));
                },
                table -> {
                    long until = database.clockMillis() + Groups.LEASE.toMillis();
                    if (isAway) {
                        session.change(tables -> counting.forEach(
                                each -> row(tables).members.put(each.id(), new MemberRow(each, until))));
                    }
                    session.change(tables -> row(tables).members.put(member.id(), new MemberRow(member, until)));
                    reply.succeed(stored(table).lease(member.id(), Groups.LEASE));
                });
    }

    void leave(Session session, Member member, Reply<Boolean> reply) {
        Map<Integer, Integer> partitions = partitions();
        List<Member> live = live(database, group());
        step(session, live, table -> table.leave(member.id(), partitions, this::homes), table -> {
            session.change(tables -> row(tables).members.remove(member.id()));
            reply.succeed(true);
        });
    }

    private void step(Session session, List<Member> live, Consumer<GroupTable> step, Consumer<GroupTable> end) {
        GroupTable trial = table(live);
        step.accept(trial);
        List<PartitionKey> locked = trial.changed().stream()
                .map(row -> new PartitionKey(name, row.partition()))
                .toList();
        database.locks().exclusiveAll(session, Kind.PARTITION, locked.iterator(), () -> {
            GroupTable table = table(live);
            step.accept(table);
            session.change(tables -> write(tables, live, table));
            end.accept(table);
        });
    }

    private GroupTable table(List<Member> live) {
        GroupRow group = group();
        return new GroupTable(name, group.generation, live, group.partitions.values());
    }

    private GroupRow row(LogTables tables) {
        return tables.groups.computeIfAbsent(name, unknown -> new GroupRow());
    }

    private void write(LogTables tables, List<Member> live, GroupTable table) {
        GroupRow group = row(tables);
        group.generation = table.generation();
        group.activeMillis = database.clockMillis();
        group.members.keySet().retainAll(live.stream().map(Member::id).collect(Collectors.toSet()));
        changed(table).forEach(row -> group.partitions.put(row.partition(), row));
    }

    /** The changed rows as they are stored. */
    private List<GroupTable.Row> changed(GroupTable table) {
        return database.has(LogDefect.GENERATION_NOT_RAISED)
                ? table.changed().stream().map(this::notRaised).toList()
                : table.changed();
    }

    private GroupTable.Row notRaised(GroupTable.Row row) {
        GroupTable.Row before = group().partitions.get(row.partition());
        long generation = before == null ? row.generation() : before.generation();
        return new GroupTable.Row(
                row.partition(), row.owner(), generation, row.wantedBy(), row.position(), row.metadata());
    }

    /** The table with its rows as they are stored. */
    private GroupTable stored(GroupTable table) {
        if (!database.has(LogDefect.GENERATION_NOT_RAISED)) {
            return table;
        }
        Map<LogPartition, GroupTable.Row> rows = new TreeMap<>(group().partitions);
        changed(table).forEach(row -> rows.put(row.partition(), row));
        return new GroupTable(name, table.generation(), List.of(), rows.values());
    }

    /** Number of partitions of each topic that exists. */
    private Map<Integer, Integer> partitions() {
        Map<Integer, Integer> partitions = new TreeMap<>();
        database.tables().topics.forEach((number, topic) -> {
            if (!topic.isDeleted) {
                partitions.put(number, topic.topic.partitions());
            }
        });
        return partitions;
    }

    private HomeZones homes(int topic) {
        return homes(topic, zones(database, topic));
    }

    /** With a member that may have just joined. */
    private HomeZones homes(int topic, Member member) {
        Map<Zone, Integer> zones = zones(database, topic);
        boolean isKnown = live(database, group()).stream()
                .anyMatch(live -> live.id().equals(member.id()) && live.topics().contains(topic));
        if (!isKnown && member.topics().contains(topic)) {
            zones.merge(member.zone(), 1, Integer::sum);
        }
        return homes(topic, zones);
    }

    private HomeZones homes(int topic, Map<Zone, Integer> readers) {
        return HomeZones.of(topic, partitions().getOrDefault(topic, 0), readers);
    }
}
