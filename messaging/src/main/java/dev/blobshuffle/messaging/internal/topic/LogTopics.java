package dev.blobshuffle.messaging.internal.topic;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.messaging.Topic;
import dev.blobshuffle.messaging.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The topics of a commit log, for applications. Thread-safe. */
public final class LogTopics implements Topics {
    private static final Duration LONGEST_CALL = Duration.ofSeconds(15);

    private final CommitLog log;
    private final Time time;

    /** The topics of a log. */
    public LogTopics(CommitLog log, Time time) {
        this.log = log;
        this.time = time;
    }

    @Override
    public boolean create(Topic topic) {
        return await(log.topics().create(topic.name(), topic.partitions(), rule(topic)), "create topic " + topic.name())
                .isPresent();
    }

    @Override
    public Optional<Topic> find(String name) {
        return await(log.topics().find(name), "find topic " + name).map(LogTopics::shown);
    }

    @Override
    public List<Topic> list() {
        return await(log.topics().list(), "list topics").stream()
                .map(LogTopics::shown)
                .toList();
    }

    @Override
    public void change(Topic topic) {
        LogTopic found = await(log.topics().find(topic.name()), "find topic " + topic.name())
                .orElseThrow(() -> new TopicAbsentException(
                        "Cannot change topic " + topic.name() + ": it does not exist. Create it."));
        LogTopic ignored = await(
                log.topics().change(found.number(), topic.partitions(), rule(topic)), "change topic " + topic.name());
    }

    @Override
    public boolean delete(String name) {
        return await(log.topics().delete(name), "delete topic " + name);
    }

    private <T> T await(CompletionStage<T> stage, String what) {
        return CommitLogs.await(stage, LONGEST_CALL, what, time);
    }

    private static RetentionRule rule(Topic topic) {
        if (topic.isKeptUntilConsumed()) {
            return new RetentionRule.UntilConsumed(topic.retention());
        }
        return topic.retention().<RetentionRule>map(RetentionRule.For::new).orElseGet(RetentionRule.Forever::new);
    }

    private static Topic shown(LogTopic topic) {
        Topic plain = Topic.named(topic.name()).partitions(topic.partitions());
        if (topic.retention() instanceof RetentionRule.For limited) {
            return plain.retention(limited.time());
        }
        return topic.retention() instanceof RetentionRule.UntilConsumed consumed
                ? new Topic(plain.name(), plain.partitions(), consumed.abandoned(), true)
                : plain;
    }
}
