package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.LogName;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.Topics;
import dev.blobshuffle.testkit.internal.log.LockTable.Key;
import dev.blobshuffle.testkit.internal.log.LockTable.Kind;
import dev.blobshuffle.testkit.internal.log.LogTables.TopicRow;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;

/** The topics of a {@link MemoryLog}. Thread-safe. */
record MemoryTopics(Connection connection) implements Topics {
    private LogTables tables() {
        return connection.database().tables();
    }

    private LockTable locks() {
        return connection.database().locks();
    }

    @Override
    public CompletionStage<Optional<LogTopic>> create(String name, int partitions, RetentionRule retention) {
        LogTopic described = new LogTopic(0, LogName.check("topic", name), partitions, retention);
        return connection.call(
                LogCall.TOPICS,
                (session, reply) -> locks().exclusive(session, byName(name), () -> {
                    if (tables().topic(name).isPresent()) {
                        reply.succeed(Optional.empty());
                        return;
                    }
                    LogTopic topic =
                            new LogTopic(tables().nextTopic++, described.name(), partitions, described.retention());
                    session.change(later -> later.topics.put(topic.number(), new TopicRow(topic)));
                    reply.succeed(Optional.of(topic));
                }));
    }

    private static Key byName(String name) {
        return new Key(Kind.TOPIC, name);
    }

    @Override
    public CompletionStage<Optional<LogTopic>> find(String name) {
        return connection.ask(LogCall.TOPICS, () -> tables().topic(name).map(row -> row.topic));
    }

    @Override
    public CompletionStage<List<LogTopic>> list() {
        return connection.ask(
                LogCall.TOPICS,
                () -> tables().topics.values().stream()
                        .filter(row -> !row.isDeleted)
                        .map(row -> row.topic)
                        .sorted(Comparator.comparing(LogTopic::name))
                        .toList());
    }

    @Override
    public CompletionStage<LogTopic> change(int topic, int partitions, RetentionRule retention) {
        return connection.call(
                LogCall.TOPICS,
                (session, reply) -> locks().exclusive(session, new Key(Kind.TOPIC, topic), () -> {
                    Optional<TopicRow> found = tables().topic(topic);
                    if (found.isEmpty()) {
                        reply.fail(new TopicAbsentException(
                                "Cannot change topic " + topic + ": it does not exist. Find its new number."));
                        return;
                    }
                    LogTopic before = found.get().topic;
                    if (partitions < before.partitions()) {
                        reply.fail(new IllegalArgumentException("Cannot change topic '" + before.name() + "': it has "
                                + before.partitions() + " partitions. Use as many or more."));
                        return;
                    }
                    LogTopic after = new LogTopic(topic, before.name(), partitions, retention);
                    session.change(later -> later.topic(topic).ifPresent(row -> row.topic = after));
                    reply.succeed(after);
                }));
    }

    @Override
    public CompletionStage<Boolean> delete(String name) {
        return connection.call(
                LogCall.TOPICS,
                (session, reply) -> locks().exclusive(session, byName(name), () -> {
                    Optional<TopicRow> found = tables().topic(name);
                    if (found.isEmpty()) {
                        reply.succeed(false);
                        return;
                    }
                    int number = found.get().topic.number();
                    locks().exclusive(session, new Key(Kind.TOPIC, number), () -> {
                        delete(session, number, () -> reply.succeed(true));
                    });
                }));
    }

    /** The positions go with the topic; the batches go with the next trims. */
    private void delete(Session session, int number, Runnable next) {
        List<CommittedPositions.PartitionKey> keys = tables().groups.entrySet().stream()
                .flatMap(group -> group.getValue().partitions.keySet().stream()
                        .filter(partition -> partition.topic() == number)
                        .map(partition -> new CommittedPositions.PartitionKey(group.getKey(), partition)))
                .toList();
        locks().exclusiveAll(session, Kind.PARTITION, keys.iterator(), () -> {
            session.change(later -> {
                later.topic(number).ifPresent(row -> row.isDeleted = true);
                later.groups
                        .values()
                        .forEach(group -> group.partitions.keySet().removeIf(partition -> partition.topic() == number));
            });
            next.run();
        });
    }

    @Override
    public CompletionStage<Map<Integer, Long>> sequencesAt(Map<Integer, Instant> times) {
        Map<Integer, Instant> asked = Map.copyOf(times);
        return connection.ask(LogCall.TOPICS, () -> {
            Map<Integer, Long> found = new TreeMap<>();
            asked.forEach((number, instant) ->
                    tables().topic(number).ifPresent(topic -> found.put(number, first(topic, instant))));
            return found;
        });
    }

    private long first(TopicRow topic, Instant since) {
        return topic.order.entrySet().stream()
                .filter(place -> !Instant.ofEpochMilli(place.getValue().committedMillis())
                        .isBefore(since))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(topic.next);
    }
}
