package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.TopicState;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A log with a time limit for its answers. Owned by one thread.
 *
 * @param log stays open
 */
record OpenLog(CommitLog log, Time time) {
    private static final Duration LONGEST = Duration.ofSeconds(30);

    /**
     * Waits for an answer of the log.
     *
     * @param what completes "Cannot …"
     */
    <T> T await(CompletionStage<T> stage, String what) {
        return CommitLogs.await(stage, LONGEST, what, time);
    }

    /** Waits. */
    void rest(Duration duration) throws InterruptedException {
        Signal never = time.signal();
        boolean ignored = never.await(never.count(), time.nanos() + duration.toNanos());
    }

    /** All topics, by name. */
    List<LogTopic> topics() {
        return await(log.topics().list(), "list topics");
    }

    /**
     * The topic with the name from the command line.
     *
     * @throws InvalidSettingsException the topic does not exist
     */
    LogTopic topic(String name) {
        return await(log.topics().find(name), "find topic " + name)
                .orElseThrow(() -> new InvalidSettingsException("Cannot find topic " + name
                        + ": it does not exist. List the topics: blobshuffle messaging topics list."));
    }

    /** The starts and ends of topics, by their numbers. */
    Map<Integer, TopicState> states(Collection<LogTopic> topics) {
        Set<Integer> numbers = topics.stream().map(LogTopic::number).collect(Collectors.toSet());
        return await(log.look(numbers), "find the ends of topics").stream()
                .collect(Collectors.toMap(TopicState::topic, Function.identity()));
    }
}
