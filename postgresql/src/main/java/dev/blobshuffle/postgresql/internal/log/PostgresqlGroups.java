package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.group.GroupDescription;
import dev.blobshuffle.log.internal.group.GroupDescription.GroupPartition;
import dev.blobshuffle.log.internal.group.GroupTable;
import dev.blobshuffle.log.internal.group.Groups;
import dev.blobshuffle.log.internal.group.HomeZones;
import dev.blobshuffle.log.internal.group.Lease;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.log.internal.group.OwnedPartition;
import dev.blobshuffle.postgresql.internal.log.Database.Repeat;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The consumer groups, in rows of the schema. A step locks the group, loads its rows, applies a
 * rule of {@link GroupTable}, and writes the changes. A renewal that changes nothing needs no lock.
 * Thread-safe.
 */
final class PostgresqlGroups implements Groups {
    /**
     * One member of each group checks every so many renewals, that is, every ten seconds, whether
     * readers of other groups have changed the home zones.
     */
    private static final int RENEWALS_PER_LOOK = 3;

    private final Database database;
    private final PostgresqlTopics topics;

    /** The members of this instance. */
    private final Map<UUID, Known> known = new ConcurrentHashMap<>();

    PostgresqlGroups(Database database, PostgresqlTopics topics) {
        this.database = database;
        this.topics = topics;
    }

    @Override
    public CompletionStage<Lease> renew(Member member, Set<LogPartition> released) {
        String action = "renew a lease in group '" + member.group() + "'";
        Known state = known.get(member.id());
        if (state == null || !released.isEmpty()) {
            return join(action, member, released, state).exceptionallyCompose(LogFailures::refused);
        }
        return database.call(action, Repeat.ONCE, connection -> extended(connection, member, state))
                .thenCompose(lease -> lease.<CompletionStage<Lease>>map(CompletableFuture::completedStage)
                        .orElseGet(() -> join(action, member, released, state)))
                .exceptionallyCompose(LogFailures::refused);
    }

    /**
     * The lease of an extended renewal, if that is enough. Even if others have changed the
     * generation meanwhile, a member that gives nothing back need not wait for the group's lock: in
     * a large group, its lease would end.
     */
    private Optional<Lease> extended(Connection connection, Member member, Known state) throws SQLException {
        long generation = state.generation;
        OptionalLong version = extend(connection, member, generation);
        if (version.isEmpty()) {
            OptionalLong newer =
                    function(connection, "find_group", member.group()).number();
            if (newer.isEmpty() || newer.getAsLong() == generation) {
                return Optional.empty();
            }
            generation = newer.getAsLong();
            version = extend(connection, member, generation);
            if (version.isEmpty()) {
                return Optional.empty();
            }
        }
        List<OwnedPartition> owned = owned(connection, member);
        if (state.isLookNext()
                && isFirst(owned)
                && !zones(connection, member.topics()).equals(state.readers)) {
            return Optional.empty();
        }
        Set<Integer> absent = version.getAsLong() == state.topicsVersion ? state.absent : absent(connection, member);
        known.replace(member.id(), state, state.renewed(generation, version.getAsLong(), absent));
        return Optional.of(new Lease(generation, LEASE, owned, absent));
    }

    /**
     * The member's topics that no longer exist. Another member may have been the first to notice a
     * deletion, and the group may even have the same generation as before.
     */
    private Set<Integer> absent(Connection connection, Member member) throws SQLException {
        Set<Integer> absent = new HashSet<>(member.topics());
        absent.removeAll(
                function(connection, "look", (Object) topicNumbers(member)).rows(row -> row.getInt("topic_id")));
        return absent;
    }

    /**
     * Whether this member is the one that checks, which is the owner of a topic's first partition.
     */
    private static boolean isFirst(List<OwnedPartition> owned) {
        return owned.stream().anyMatch(each -> each.partition().partition() == 0);
    }

    /**
     * Returns the version of the topics that the group's assignment is based on; empty: not
     * extended.
     */
    private OptionalLong extend(Connection connection, Member member, long generation) throws SQLException {
        return function(
                        connection,
                        "renew_member",
                        member.group(),
                        member.id(),
                        member.zone().name(),
                        topicNumbers(member),
                        LEASE,
                        generation)
                .number();
    }

    private List<OwnedPartition> owned(Connection connection, Member member) throws SQLException {
        return GroupRows.partitions(connection, database.schema(), member.group(), member.id()).stream()
                .map(row -> new OwnedPartition(
                        row.partition(),
                        row.generation(),
                        row.position(),
                        row.metadata(),
                        row.wantedBy().isPresent()))
                .toList();
    }

    private CompletionStage<Lease> join(
            String action, Member member, Set<LogPartition> released, @Nullable Known state) {
        boolean isLook = state != null && state.isLookNext();
        return database.transaction(action, connection -> {
                    revive(connection, member);
                    Step step = new Step(connection, member.group());
                    Lease lease = step.renew(member, released, isLook);
                    boolean isAssigned = isLook || step.table.isReassigned();
                    return new Joined(
                            lease,
                            step.topicsVersion,
                            state == null || isAssigned ? step.readers(member.topics()) : state.readers);
                })
                .thenApply(joined -> {
                    known.put(
                            member.id(),
                            new Known(
                                    joined.lease.generation(),
                                    joined.topicsVersion,
                                    joined.readers,
                                    joined.lease.absent(),
                                    0));
                    return joined.lease;
                });
    }

    private record Joined(Lease lease, long topicsVersion, Map<Integer, Map<Zone, Integer>> readers) {}

    /**
     * Revives the members of a group: if the database was unavailable, none of them could renew.
     */
    private void revive(Connection connection, Member member) throws SQLException {
        function(connection, "revive_members", member.group(), member.id(), LEASE)
                .run();
    }

    @Override
    public CompletionStage<Void> leave(Member member) {
        known.remove(member.id());
        return database.transactionStep(
                "leave group '" + member.group() + "'",
                connection -> new Step(connection, member.group()).leave(member));
    }

    @Override
    public CompletionStage<Void> commit(Consumed consumed) {
        PositionArrays arrays = PositionArrays.of(consumed.positions());
        return database.run("commit positions of group '" + consumed.group() + "'", Repeat.ONCE, connection -> {
            function(
                            connection,
                            "commit_positions",
                            consumed.group(),
                            consumed.member(),
                            arrays.topics(),
                            arrays.partitions(),
                            arrays.generations(),
                            arrays.positions(),
                            arrays.metadata())
                    .run();
        });
    }

    @Override
    public CompletionStage<Void> seek(String group, Map<LogPartition, Long> positions) {
        List<Map.Entry<LogPartition, Long>> entries = List.copyOf(positions.entrySet());
        return database.run("set positions of group '" + group + "'", Repeat.ONCE, connection -> {
            function(
                            connection,
                            "set_positions",
                            group,
                            entries.stream()
                                    .mapToInt(each -> each.getKey().topic())
                                    .toArray(),
                            entries.stream()
                                    .mapToInt(each -> each.getKey().partition())
                                    .toArray(),
                            entries.stream().mapToLong(Map.Entry::getValue).toArray())
                    .run();
        });
    }

    @Override
    public CompletionStage<Optional<GroupDescription>> describe(String group) {
        return database.call("describe group '" + group + "'", Repeat.ONCE, connection -> {
            OptionalLong generation = function(connection, "find_group", group).number();
            if (generation.isEmpty()) {
                return Optional.empty();
            }
            List<GroupPartition> partitions = GroupRows.partitions(connection, database.schema(), group, null).stream()
                    .map(row -> new GroupPartition(row.partition(), row.owner(), row.generation(), row.position()))
                    .toList();
            return Optional.of(new GroupDescription(
                    group,
                    generation.getAsLong(),
                    GroupRows.members(connection, database.schema(), group),
                    partitions));
        });
    }

    @Override
    public CompletionStage<List<String>> list() {
        return database.call(
                "list the groups",
                Repeat.ONCE,
                connection -> function(connection, "find_groups").rows(row -> row.getString(1)));
    }

    @Override
    public CompletionStage<Boolean> delete(String group) {
        return database.call(
                "delete group '" + group + "'",
                Repeat.NEVER,
                connection -> function(connection, "delete_group", group).one(row -> row.getBoolean(1)));
    }

    @Override
    public CompletionStage<Map<Zone, Integer>> zones(int topic) {
        return database.call(
                "read the zones of a topic's readers",
                Repeat.ONCE,
                connection -> zones(connection, Set.of(topic)).getOrDefault(topic, Map.of()));
    }

    private Map<Integer, Map<Zone, Integer>> zones(Connection connection, Set<Integer> of) throws SQLException {
        Map<Integer, Map<Zone, Integer>> zones = new HashMap<>();
        int[] numbers = of.stream().mapToInt(Integer::intValue).toArray();
        function(connection, "topic_zones", numbers)
                .rows(row -> zones.computeIfAbsent(row.getInt("topic_id"), any -> new HashMap<>())
                        .put(new Zone(row.getString("zone")), row.getInt("members")));
        return zones;
    }

    private static int[] topicNumbers(Member member) {
        return member.topics().stream().mapToInt(Integer::intValue).sorted().toArray();
    }

    private FunctionCall function(Connection connection, String name, @Nullable Object... arguments) {
        return FunctionCall.of(connection, database.schema(), name, arguments);
    }

    /**
     * The state of a group that a member's instance remembers.
     *
     * @param generation of the group
     * @param topicsVersion of the topics that the assignment is based on
     * @param readers of the member's topics, of all groups, at its last assignment
     * @param absent topics of the member; constant within a version of the topics
     * @param renewals since then, or since the last check of the readers
     */
    private record Known(
            long generation,
            long topicsVersion,
            Map<Integer, Map<Zone, Integer>> readers,
            Set<Integer> absent,
            int renewals) {
        boolean isLookNext() {
            return renewals + 1 >= RENEWALS_PER_LOOK;
        }

        Known renewed(long newer, long newerVersion, Set<Integer> nowAbsent) {
            return new Known(newer, newerVersion, readers, nowAbsent, isLookNext() ? 0 : renewals + 1);
        }
    }

    /** One change of a group, under the group's lock. Owned by one thread. */
    private final class Step {
        private final Connection connection;
        private final String group;
        private final long topicsVersion;
        private final Map<Integer, Integer> partitions;
        private final GroupTable table;

        /** The readers of all topics, as used for the assignment. */
        private Map<Integer, Map<Zone, Integer>> readers = Map.of();

        /**
         * Locks the group. Reads the version before the topics, so the topics can only be newer.
         */
        Step(Connection connection, String group) throws SQLException {
            this.connection = connection;
            this.group = group;
            long generation = function(connection, "lock_group", group).one(row -> row.getLong("generation"));
            topicsVersion = function(connection, "topics_version").one(row -> row.getLong(1));
            partitions =
                    topics.all(connection).stream().collect(Collectors.toMap(LogTopic::number, LogTopic::partitions));
            table = new GroupTable(
                    group,
                    generation,
                    GroupRows.members(connection, database.schema(), group),
                    GroupRows.partitions(connection, database.schema(), group, null));
        }

        Lease renew(Member member, Set<LogPartition> released, boolean isLook) throws SQLException {
            function(connection, "put_member", group, member.id(), member.zone().name(), topicNumbers(member), LEASE)
                    .run();
            Function<Integer, HomeZones> homes = homes();
            table.renew(member, released, partitions, homes);
            if (isLook) {
                table.followHomes(partitions, homes);
            }
            write();
            return table.lease(member.id(), LEASE);
        }

        void leave(Member member) throws SQLException {
            function(connection, "drop_member", group, member.id()).run();
            table.leave(member.id(), partitions, homes());
            write();
        }

        private Function<Integer, HomeZones> homes() throws SQLException {
            readers = zones(connection, partitions.keySet());
            return topic ->
                    HomeZones.of(topic, partitions.getOrDefault(topic, 0), readers.getOrDefault(topic, Map.of()));
        }

        Map<Integer, Map<Zone, Integer>> readers(Set<Integer> of) {
            return readers.entrySet().stream()
                    .filter(each -> of.contains(each.getKey()))
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        }

        private void write() throws SQLException {
            GroupRows.write(connection, database.schema(), group, table.generation(), topicsVersion, table.changed());
        }
    }
}
