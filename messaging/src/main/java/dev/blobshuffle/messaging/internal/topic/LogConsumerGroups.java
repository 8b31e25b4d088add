package dev.blobshuffle.messaging.internal.topic;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.group.GroupDescription;
import dev.blobshuffle.log.internal.group.GroupDescription.GroupPartition;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.messaging.ConsumerGroups;
import dev.blobshuffle.messaging.TopicPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The consumer groups of a commit log, for applications. Thread-safe. */
public final class LogConsumerGroups implements ConsumerGroups {
    private static final Duration LONGEST_CALL = Duration.ofSeconds(15);

    private final CommitLog log;
    private final TopicCatalog catalog;
    private final Time time;

    /** The groups of a log. */
    public LogConsumerGroups(CommitLog log, TopicCatalog catalog, Time time) {
        this.log = log;
        this.catalog = catalog;
        this.time = time;
    }

    @Override
    public List<String> list() {
        return await(log.groups().list(), "list groups");
    }

    @Override
    public Optional<ConsumerGroup> describe(String name) {
        Optional<GroupDescription> found = await(log.groups().describe(name), "describe group " + name);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Map<Integer, String> names = await(log.topics().list(), "list topics").stream()
                .collect(Collectors.toMap(LogTopic::number, LogTopic::name));
        Map<Integer, TopicState> states = await(log.look(names.keySet()), "find the ends of topics").stream()
                .collect(Collectors.toMap(TopicState::topic, Function.identity()));
        Map<String, String> members = new LinkedHashMap<>();
        found.get()
                .members()
                .forEach(member ->
                        members.put(member.id().toString(), member.zone().name()));
        Map<TopicPartition, Progress> partitions = new LinkedHashMap<>();
        for (GroupPartition each : found.get().partitions()) {
            int topic = each.partition().topic();
            String topicName = names.get(topic);
            TopicState state = states.get(topic);
            if (topicName != null && state != null) {
                partitions.put(new TopicPartition(topicName, each.partition().partition()), progress(each, state));
            }
        }
        return Optional.of(new ConsumerGroup(name, members, partitions));
    }

    private static Progress progress(GroupPartition partition, TopicState state) {
        OptionalLong position = partition.position();
        OptionalLong lag = position.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(
                        0, state.next() - LogPosition.of(position.getAsLong()).sequence()));
        return new Progress(partition.owner().map(UUID::toString), position, lag);
    }

    @Override
    public void seek(String name, String topic, Instant when) {
        LogTopic found = catalog.ask(topic);
        Map<Integer, Long> sequences = await(
                log.topics().sequencesAt(Map.of(found.number(), when)), "find the position of a time in " + topic);
        long position = new LogPosition(sequences.getOrDefault(found.number(), 0L), 0).value();
        Map<LogPartition, Long> positions = IntStream.range(0, found.partitions())
                .boxed()
                .collect(Collectors.toMap(
                        partition -> new LogPartition(found.number(), partition), partition -> position));
        CommitLogs.await(
                log.groups().seek(name, positions).thenApply(done -> true), LONGEST_CALL, "move group " + name, time);
    }

    @Override
    public boolean delete(String name) {
        return await(log.groups().delete(name), "delete group " + name);
    }

    private <T> T await(CompletionStage<T> stage, String what) {
        return CommitLogs.await(stage, LONGEST_CALL, what, time);
    }
}
