package dev.blobshuffle.messaging.internal.topic;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogTopic;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Caches the topics that this instance uses, by name. It refreshes an entry after a minute, to
 * detect added partitions. Has as many entries as the application uses topics. Thread-safe.
 */
public final class TopicCatalog {
    private static final Logger LOG = LoggerFactory.getLogger(TopicCatalog.class);
    private static final Duration FRESH = Duration.ofMinutes(1);
    private static final Duration LONGEST_CALL = Duration.ofSeconds(15);

    private final CommitLog log;
    private final Time time;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /** A catalog of a log's topics. */
    public TopicCatalog(CommitLog log, Time time) {
        this.log = log;
        this.time = time;
    }

    /**
     * The topic of a name. Blocks if it is not cached. Refreshes an old entry in the background, so
     * that publishers continue while the log does not answer.
     *
     * @throws TopicAbsentException recoverable: there is no such topic
     * @throws dev.blobshuffle.log.failure.LogUnavailableException recoverable: the log does not
     *     answer
     */
    public LogTopic require(String name) {
        Known found = known.get(name);
        if (found != null) {
            long now = time.nanos();
            if (now - found.askedNanos >= FRESH.toNanos()) {
                known.put(name, new Known(found.topic, now));
                askAgain(name);
            }
            return found.topic;
        }
        return ask(name);
    }

    /**
     * The current topic of a name. Blocks.
     *
     * @throws TopicAbsentException recoverable: there is no such topic
     * @throws dev.blobshuffle.log.failure.LogUnavailableException recoverable: the log does not
     *     answer
     */
    public LogTopic ask(String name) {
        Optional<LogTopic> topic = CommitLogs.await(log.topics().find(name), LONGEST_CALL, "find topic " + name, time);
        if (topic.isEmpty()) {
            known.remove(name);
            throw new TopicAbsentException("Cannot find topic " + name
                    + ": it does not exist, or was deleted. Create it: blobshuffle messaging topics create.");
        }
        known.put(name, new Known(topic.get(), time.nanos()));
        return topic.get();
    }

    private void askAgain(String name) {
        try {
            log.topics().find(name).whenComplete((topic, failure) -> {
                if (topic != null && topic.isPresent()) {
                    known.put(name, new Known(topic.get(), time.nanos()));
                } else if (failure == null) {
                    known.remove(name);
                }
            });
        } catch (RuntimeException e) {
            LOG.debug("Cannot ask for topic {} again; what was known stays.", name, e);
        }
    }

    /** Removes a topic, because a commit to it failed. */
    public void forget(String name) {
        known.remove(name);
    }

    private record Known(LogTopic topic, long askedNanos) {}
}
