package dev.blobshuffle.log.internal.publish;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.CommitLog;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes the log sequence committed batches soon after their commit. One request per topic is in
 * flight at a time; the next request serves all calls that arrive meanwhile. Thread-safe.
 *
 * <pre>
 *   IDLE ──request──▶ RUNNING ──moved all──▶ IDLE
 *                      │  ▲ └──request──▶ RUNNING, again ──ended──▶ RUNNING
 *                      └──┘ busy: after 5 ms; unavailable: after a growing pause
 * </pre>
 */
public final class Sequencer implements AutoCloseable {
    private static final Duration BUSY_PAUSE = Duration.ofMillis(5);
    private static final Duration MOST_PAUSE = Duration.ofSeconds(1);

    private final CommitLog log;
    private final Time time;
    private final Map<Integer, Topic> topics = new ConcurrentHashMap<>();
    private volatile boolean isClosed;

    /**
     * A sequencer of a log.
     *
     * @param log not closed from here
     */
    public Sequencer(CommitLog log, Time time) {
        this.log = log;
        this.time = time;
    }

    /** Requests the sequencing of a topic. Does not wait. */
    public void request(int topic) {
        Topic state = topics.computeIfAbsent(topic, Topic::new);
        if (state.request()) {
            run(state);
        }
    }

    private void run(Topic topic) {
        if (isClosed) {
            return;
        }
        try {
            topic.begin();
            log.sequence(topic.number).whenComplete((moved, failure) -> ended(topic, moved, failure));
        } catch (RuntimeException e) {
            ended(topic, null, e);
        }
    }

    private void ended(Topic topic, @Nullable OptionalLong moved, @Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof TopicAbsentException || cause instanceof ClosedException || isClosed) {
            topics.remove(topic.number);
        } else if (moved == null) {
            again(topic, topic.pause());
        } else if (moved.isEmpty()) {
            again(topic, BUSY_PAUSE);
        } else if (topic.end(moved.getAsLong() >= CommitLog.MOST_SEQUENCED)) {
            run(topic);
        }
    }

    private void again(Topic topic, Duration pause) {
        try {
            time.schedule(pause, () -> run(topic));
        } catch (ClosedException e) {
            isClosed = true; // The instance is closing.
        }
    }

    /** Sends no more requests. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
    }

    /** A topic and its request in flight. */
    private static final class Topic {
        private final int number;
        private boolean isRunning;
        private boolean isAsked;
        private int failures;

        Topic(int number) {
            this.number = number;
        }

        /** @return whether the caller runs the request */
        synchronized boolean request() {
            isAsked = true;
            boolean isFirst = !isRunning;
            isRunning = true;
            return isFirst;
        }

        synchronized void begin() {
            isAsked = false;
        }

        /** @return whether another request must follow */
        synchronized boolean end(boolean hasMore) {
            failures = 0;
            isRunning = isAsked || hasMore;
            return isRunning;
        }

        synchronized Duration pause() {
            failures = Math.min(failures + 1, 10);
            Duration grown = BUSY_PAUSE.multipliedBy(1L << failures);
            return grown.compareTo(MOST_PAUSE) < 0 ? grown : MOST_PAUSE;
        }
    }
}
