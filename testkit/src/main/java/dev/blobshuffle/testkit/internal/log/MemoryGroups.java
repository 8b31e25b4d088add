package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.group.GroupDescription;
import dev.blobshuffle.log.internal.group.GroupDescription.GroupPartition;
import dev.blobshuffle.log.internal.group.GroupTable;
import dev.blobshuffle.log.internal.group.Groups;
import dev.blobshuffle.log.internal.group.Lease;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.testkit.internal.log.LockTable.Key;
import dev.blobshuffle.testkit.internal.log.LockTable.Kind;
import dev.blobshuffle.testkit.internal.log.LogTables.GroupRow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The groups of a {@link MemoryLog}. Thread-safe. */
record MemoryGroups(Connection connection) implements Groups {
    private MemoryDatabase database() {
        return connection.database();
    }

    private GroupRow group(String name) {
        return database().tables().groups.getOrDefault(name, new GroupRow());
    }

    @Override
    public CompletionStage<Lease> renew(Member member, Set<LogPartition> released) {
        Set<LogPartition> given = Set.copyOf(released);
        return connection.call(
                LogCall.RENEW,
                (session, reply) -> locked(
                        session,
                        member.group(),
                        () -> new Rebalance(database(), member.group()).renew(session, member, given, reply)));
    }

    @Override
    public CompletionStage<Void> leave(Member member) {
        return connection
                .<Boolean>call(
                        LogCall.GROUPS,
                        (session, reply) -> locked(
                                session,
                                member.group(),
                                () -> new Rebalance(database(), member.group()).leave(session, member, reply)))
                .thenAccept(done -> {});
    }

    private void locked(Session session, String group, Runnable next) {
        database().locks().exclusive(session, new Key(Kind.GROUP, group), next);
    }

    @Override
    public CompletionStage<Void> commit(Consumed consumed) {
        return connection
                .call(LogCall.GROUPS, new CommittedPositions(database(), consumed))
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> seek(String group, Map<LogPartition, Long> positions) {
        Map<LogPartition, Long> wanted = Map.copyOf(positions);
        return withoutMembers(group, "seek", tables -> {
                    GroupRow sought = tables.groups.computeIfAbsent(group, unknown -> new GroupRow());
                    sought.activeMillis = database().clockMillis();
                    wanted.forEach((partition, position) ->
                            sought.partitions.compute(partition, (any, row) -> at(partition, row, position)));
                })
                .thenAccept(existed -> {});
    }

    private static GroupTable.Row at(LogPartition partition, GroupTable.@Nullable Row row, long position) {
        return new GroupTable.Row(
                partition,
                Optional.empty(),
                row == null ? 0 : row.generation() + 1,
                Optional.empty(),
                OptionalLong.of(position),
                Optional.empty());
    }

    /** Changes a group that has no member; whether there was such a group. */
    private CompletionStage<Boolean> withoutMembers(String name, String verb, Consumer<LogTables> change) {
        return connection.call(
                LogCall.GROUPS,
                (session, reply) -> locked(session, name, () -> {
                    List<CommittedPositions.PartitionKey> rows = group(name).partitions.keySet().stream()
                            .map(partition -> new CommittedPositions.PartitionKey(name, partition))
                            .toList();
                    database().locks().exclusiveAll(session, Kind.PARTITION, rows.iterator(), () -> {
                        if (!Rebalance.live(database(), group(name)).isEmpty()) {
                            reply.fail(new IllegalStateException(
                                    "Cannot " + verb + " group '" + name + "': it has a member. Stop its members."));
                            return;
                        }
                        session.change(change);
                        reply.succeed(database().tables().groups.containsKey(name));
                    });
                }));
    }

    @Override
    public CompletionStage<Optional<GroupDescription>> describe(String name) {
        return connection.ask(
                LogCall.GROUPS,
                () -> Optional.ofNullable(database().tables().groups.get(name)).map(group -> describe(name, group)));
    }

    private GroupDescription describe(String name, GroupRow group) {
        return new GroupDescription(
                name,
                group.generation,
                Rebalance.live(database(), group),
                group.partitions.values().stream()
                        .map(row -> new GroupPartition(row.partition(), row.owner(), row.generation(), row.position()))
                        .toList());
    }

    @Override
    public CompletionStage<List<String>> list() {
        return connection.ask(
                LogCall.GROUPS, () -> List.copyOf(database().tables().groups.keySet()));
    }

    @Override
    public CompletionStage<Boolean> delete(String group) {
        return withoutMembers(group, "delete", tables -> tables.groups.remove(group));
    }

    @Override
    public CompletionStage<Map<Zone, Integer>> zones(int topic) {
        return connection.ask(LogCall.GROUPS, () -> Rebalance.zones(database(), topic));
    }
}
