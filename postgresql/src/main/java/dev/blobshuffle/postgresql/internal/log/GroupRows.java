package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.group.GroupTable;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads and writes the rows of one group. Stateless. */
final class GroupRows {
    private GroupRows() {}

    /** The members whose lease has not ended. */
    static List<Member> members(Connection connection, String schema, String group) throws SQLException {
        return FunctionCall.of(connection, schema, "group_members", group).rows(row -> {
            Array topics = row.getArray("topics");
            return new Member(
                    group, row.getObject("member_id", UUID.class), new Zone(row.getString("zone")), Set.of((Integer[])
                            topics.getArray()));
        });
    }

    /** The partitions of a group, or those of one member. */
    static List<GroupTable.Row> partitions(Connection connection, String schema, String group, @Nullable UUID member)
            throws SQLException {
        return FunctionCall.of(connection, schema, "group_partitions", group, member)
                .rows(GroupRows::partition);
    }

    private static GroupTable.Row partition(ResultSet row) throws SQLException {
        long position = row.getLong("pos");
        OptionalLong committed = row.wasNull() ? OptionalLong.empty() : OptionalLong.of(position);
        return new GroupTable.Row(
                new LogPartition(row.getInt("topic_id"), row.getInt("part")),
                Optional.ofNullable(row.getObject("member_id", UUID.class)),
                row.getLong("generation"),
                Optional.ofNullable(row.getObject("wanted_by", UUID.class)),
                committed,
                Optional.ofNullable(row.getString("metadata")));
    }

    /**
     * Writes changed partitions and the group's generation; removes members whose lease has ended.
     */
    static void write(
            Connection connection,
            String schema,
            String group,
            long generation,
            long topicsVersion,
            List<GroupTable.Row> rows)
            throws SQLException {
        FunctionCall.of(
                        connection,
                        schema,
                        "assign_partitions",
                        group,
                        generation,
                        topicsVersion,
                        rows.stream().mapToInt(row -> row.partition().topic()).toArray(),
                        rows.stream()
                                .mapToInt(row -> row.partition().partition())
                                .toArray(),
                        connection.createArrayOf(
                                "uuid",
                                rows.stream()
                                        .map(row -> row.owner().orElse(null))
                                        .toArray()),
                        rows.stream().mapToLong(GroupTable.Row::generation).toArray(),
                        connection.createArrayOf(
                                "uuid",
                                rows.stream()
                                        .map(row -> row.wantedBy().orElse(null))
                                        .toArray()))
                .run();
    }
}
