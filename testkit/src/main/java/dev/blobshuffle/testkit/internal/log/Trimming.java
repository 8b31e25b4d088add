package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.group.GroupTable;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.testkit.internal.log.LogTables.GroupRow;
import dev.blobshuffle.testkit.internal.log.LogTables.TopicRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Removes what the topics' rules do not keep. Guarded by the database. */
final class Trimming {
    private final MemoryDatabase database;
    private int left;

    Trimming(MemoryDatabase database) {
        this.database = database;
        left = database.options().trimLimit();
    }

    /** Removes batches, up to the limit of one call. Returns their number. */
    int run(Session session) {
        database.tables().topics.values().forEach(topic -> trim(session, topic));
        return database.options().trimLimit() - left;
    }

    private void trim(Session session, TopicRow topic) {
        List<Long> places = new ArrayList<>();
        long keepFrom = keepFrom(topic);
        for (long place : topic.order.headMap(keepFrom, false).keySet()) {
            if (left == 0) {
                break;
            }
            places.add(place);
            left--;
        }
        List<Long> staged = topic.isDeleted ? topic.inbox.stream().limit(left).toList() : List.of();
        left -= staged.size();
        int number = topic.topic.number();
        session.change(tables -> {
            TopicRow row = MemoryDatabase.required(tables.topics.get(number));
            places.forEach(place -> {
                tables.remove(MemoryDatabase.required(row.order.remove(place)).id());
                row.start = place + 1;
            });
            staged.forEach(id -> {
                row.inbox.remove(id);
                tables.remove(id);
            });
        });
    }

    /** The first sequence that the topic keeps. */
    private long keepFrom(TopicRow topic) {
        if (topic.isDeleted) {
            return topic.next;
        }
        RetentionRule rule = topic.topic.retention();
        if (rule instanceof RetentionRule.For age) {
            long oldest = database.clockMillis() - age.time().toMillis();
            return topic.order.entrySet().stream()
                    .filter(place -> place.getValue().committedMillis() >= oldest)
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse(topic.next);
        }
        return rule instanceof RetentionRule.UntilConsumed consumed
                ? consumed(
                        topic,
                        consumed.abandoned()
                                .map(time -> database.clockMillis() - time.toMillis())
                                .orElse(Long.MIN_VALUE))
                : topic.start;
    }

    /**
     * The position that all groups have passed that have a position in the topic and were used
     * since a time.
     */
    private long consumed(TopicRow topic, long since) {
        OptionalLong least = OptionalLong.empty();
        for (GroupRow group : database.tables().groups.values()) {
            OptionalLong passed = group.isActive(since) ? passed(topic, group) : OptionalLong.empty();
            if (passed.isPresent()) {
                least = OptionalLong.of(Math.min(passed.getAsLong(), least.orElse(Long.MAX_VALUE)));
            }
        }
        return least.orElse(topic.start);
    }

    /** A partition without a position holds the topic, because its group has yet to read it. */
    private static OptionalLong passed(TopicRow topic, GroupRow group) {
        long least = Long.MAX_VALUE;
        boolean hasPosition = false;
        for (int partition = 0; partition < topic.topic.partitions(); partition++) {
            GroupTable.Row row = group.partitions.get(new LogPartition(topic.topic.number(), partition));
            OptionalLong position = row == null ? OptionalLong.empty() : row.position();
            hasPosition |= position.isPresent();
            least = Math.min(
                    least,
                    position.isPresent() ? LogPosition.of(position.getAsLong()).sequence() : topic.start);
        }
        return hasPosition ? OptionalLong.of(least) : OptionalLong.empty();
    }
}
