package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.group.Consumed.ConsumedPosition;
import dev.blobshuffle.log.internal.group.GroupTable;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.testkit.internal.log.LockTable.Kind;
import dev.blobshuffle.testkit.internal.log.LogTables.GroupRow;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Positions that a member commits. They are locked in their order, so that two commits never wait
 * for each other. Guarded by the database.
 */
record CommittedPositions(MemoryDatabase database, Consumed consumed) implements Statement<List<Long>> {
    /** A partition of a group. */
    record PartitionKey(String group, LogPartition partition) {}

    @Override
    public void run(Session session, Reply<List<Long>> reply) {
        List<PartitionKey> keys = consumed.positions().stream()
                .map(ConsumedPosition::partition)
                .distinct()
                .sorted(Comparator.naturalOrder())
                .map(partition -> new PartitionKey(consumed.group(), partition))
                .toList();
        database.locks().exclusiveAll(session, Kind.PARTITION, keys.iterator(), () -> set(session, reply));
    }

    private void set(Session session, Reply<List<Long>> reply) {
        boolean isOwner = consumed.positions().stream().allMatch(this::isOwned);
        if (!isOwner) {
            reply.fail(new ConsumerFencedException("Cannot commit positions of group '" + consumed.group()
                    + "': the member has lost a partition. Roll back, and poll."));
            return;
        }
        session.change(tables -> {
            GroupRow group = MemoryDatabase.required(tables.groups.get(consumed.group()));
            for (ConsumedPosition position : consumed.positions()) {
                group.partitions.computeIfPresent(position.partition(), (any, row) -> at(row, position));
            }
        });
        reply.succeed(List.of());
    }

    private boolean isOwned(ConsumedPosition position) {
        GroupRow group = database.tables().groups.get(consumed.group());
        GroupTable.Row row = group == null ? null : group.partitions.get(position.partition());
        return row != null
                && row.owner().equals(Optional.of(consumed.member()))
                && row.generation() == position.generation();
    }

    private static GroupTable.Row at(GroupTable.Row row, ConsumedPosition position) {
        return new GroupTable.Row(
                row.partition(),
                row.owner(),
                row.generation(),
                row.wantedBy(),
                OptionalLong.of(position.position()),
                position.metadata());
    }
}
