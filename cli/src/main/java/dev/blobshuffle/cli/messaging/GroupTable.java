package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.group.GroupDescription;
import dev.blobshuffle.log.internal.group.GroupDescription.GroupPartition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A group with the names and ends of its topics.
 *
 * @param group from the log
 * @param rows its partitions in existing topics, by topic and number
 * @param absent numbers of topics that members read and that no longer exist
 */
record GroupTable(GroupDescription group, List<Row> rows, SortedSet<Integer> absent) {
    GroupTable {
        rows = List.copyOf(rows);
        absent = Collections.unmodifiableSortedSet(new TreeSet<>(absent));
    }

    /**
     * One partition.
     *
     * @param topic the topic
     * @param state start and end of the topic
     * @param partition the group's state in the partition
     */
    record Row(LogTopic topic, TopicState state, GroupPartition partition) {
        /** The next batch of the topic that the group reads here; empty if it has no position. */
        OptionalLong sequence() {
            OptionalLong position = partition.position();
            return position.isEmpty()
                    ? OptionalLong.empty()
                    : OptionalLong.of(LogPosition.of(position.getAsLong()).sequence());
        }

        /**
         * The number of the topic's batches that the group has not read; empty if it has no
         * position.
         */
        OptionalLong lag() {
            OptionalLong sequence = sequence();
            return sequence.isEmpty()
                    ? OptionalLong.empty()
                    : OptionalLong.of(Math.max(0, state.next() - sequence.getAsLong()));
        }

        /** Whether retention has deleted batches that the group has not read. */
        boolean isTrimmed() {
            OptionalLong sequence = sequence();
            return sequence.isPresent() && sequence.getAsLong() < state.start();
        }
    }

    /** The group with this name, if it exists. */
    static Optional<GroupTable> find(OpenLog log, String name) {
        Optional<GroupDescription> found = log.await(log.log().groups().describe(name), "describe group " + name);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        List<LogTopic> topics = log.topics();
        return Optional.of(of(found.get(), topics, log.states(topics)));
    }

    static GroupTable of(GroupDescription group, List<LogTopic> topics, Map<Integer, TopicState> states) {
        Map<Integer, LogTopic> byNumber =
                topics.stream().collect(Collectors.toMap(LogTopic::number, Function.identity()));
        List<Row> rows = new ArrayList<>();
        for (GroupPartition partition : group.partitions()) {
            LogTopic topic = byNumber.get(partition.partition().topic());
            TopicState state = states.get(partition.partition().topic());
            if (topic != null && state != null) {
                rows.add(new Row(topic, state, partition));
            }
        }
        rows.sort(Comparator.comparing((Row row) -> row.topic().name())
                .thenComparing(row -> row.partition().partition().partition()));
        SortedSet<Integer> absent = group.members().stream()
                .flatMap(member -> member.topics().stream())
                .filter(number -> !byNumber.containsKey(number))
                .collect(Collectors.toCollection(TreeSet::new));
        return new GroupTable(group, rows, absent);
    }
}
