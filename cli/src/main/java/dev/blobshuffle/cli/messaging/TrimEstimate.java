package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.group.GroupDescription;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Counts the batches that the topics' retention rules do not keep. Topics that were deleted do not
 * count.
 */
final class TrimEstimate {
    private final OpenLog log;

    TrimEstimate(OpenLog log) {
        this.log = log;
    }

    /** Batches that a trim would remove now. */
    long batches() {
        List<LogTopic> topics = log.topics();
        Map<Integer, TopicState> states = log.states(topics);
        Map<Integer, Long> ends = byAge(topics);
        ends.putAll(byConsumption(topics));
        long batches = 0;
        for (Map.Entry<Integer, Long> end : ends.entrySet()) {
            TopicState state = states.get(end.getKey());
            if (state != null) {
                batches += Math.max(0, Math.min(end.getValue(), state.next()) - state.start());
            }
        }
        return batches;
    }

    private Map<Integer, Long> byAge(List<LogTopic> topics) {
        Instant now = log.await(log.log().retention().clock(), "ask the log for its clock");
        Map<Integer, Instant> times = new HashMap<>();
        for (LogTopic topic : topics) {
            if (topic.retention() instanceof RetentionRule.For limited) {
                times.put(topic.number(), now.minus(limited.time()));
            }
        }
        return times.isEmpty()
                ? new HashMap<>()
                : new HashMap<>(log.await(log.log().topics().sequencesAt(times), "find old batches"));
    }

    /** The next batch of the slowest group, per topic. */
    private Map<Integer, Long> byConsumption(List<LogTopic> topics) {
        Map<Integer, Long> first = new HashMap<>();
        if (topics.stream().noneMatch(topic -> topic.retention() instanceof RetentionRule.UntilConsumed)) {
            return first;
        }
        for (String name : log.await(log.log().groups().list(), "list groups")) {
            Optional<GroupDescription> group = log.await(log.log().groups().describe(name), "describe group " + name);
            for (LogTopic topic : topics) {
                if (group.isPresent() && topic.retention() instanceof RetentionRule.UntilConsumed) {
                    position(group.get(), topic)
                            .ifPresent(position -> first.merge(topic.number(), position, Math::min));
                }
            }
        }
        return first;
    }

    /**
     * The position of a group in a topic. A group with a position in one partition needs all
     * partitions.
     */
    private static OptionalLong position(GroupDescription group, LogTopic topic) {
        List<OptionalLong> positions = group.partitions().stream()
                .filter(partition -> partition.partition().topic() == topic.number())
                .map(GroupDescription.GroupPartition::position)
                .toList();
        if (positions.stream().allMatch(OptionalLong::isEmpty)) {
            return OptionalLong.empty();
        }
        boolean isComplete =
                positions.size() == topic.partitions() && positions.stream().allMatch(OptionalLong::isPresent);
        return isComplete
                ? OptionalLong.of(positions.stream()
                                .mapToLong(OptionalLong::getAsLong)
                                .min()
                                .orElse(0)
                        >> 24)
                : OptionalLong.of(0);
    }
}
