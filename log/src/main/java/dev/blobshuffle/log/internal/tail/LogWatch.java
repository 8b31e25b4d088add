package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.TopicState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the ends of topics for one instance, with one request for all of them.
 *
 * <p>While hints arrive, it queries every 100 ms, because a hint may be lost, and because no
 * publisher sequences batches of an outbox. Without hints, it queries every 25 ms while batches
 * arrive, and backs off to 250 ms. If a topic's staged batches are not sequenced between two
 * queries, it sequences them itself. Thread-safe.
 */
final class LogWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogWatch.class);
    private static final Duration FLOWING = Duration.ofMillis(25);
    private static final Duration HINTED = Duration.ofMillis(100);
    private static final Duration IDLE = Duration.ofMillis(250);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    /** Sequencing takes milliseconds. After this time, a person must intervene. */
    private static final Duration STUCK = Duration.ofSeconds(30);

    /** A call that sequences this many batches has probably left some. */
    private static final long FULL = 5_000;

    private final CommitLog log;
    private final Time time;
    private final CommitLog.Hints hints;
    private final Object lock = new Object();

    /** Guarded by the lock, like everything below. */
    private final Map<Integer, TopicListener> listeners = new LinkedHashMap<>();

    /** The end of each topic at the last query, and the same for topics with staged batches. */
    private final Map<Integer, Long> ends = new HashMap<>();

    private final Map<Integer, Staged> staged = new HashMap<>();
    private final Set<Integer> sequencing = new HashSet<>();
    private Duration interval = FLOWING;
    private Time.@Nullable Cancellable timer;
    private boolean isLooking;
    private boolean isLookWanted;
    private boolean isInterrupted;
    private boolean isClosed;

    LogWatch(CommitLog log, Time time) {
        this.log = log;
        this.time = time;
        hints = log.hints(this::hinted);
    }

    /** Watches a topic. Queries at once. */
    void watch(int topic, TopicListener listener) {
        synchronized (lock) {
            if (isClosed) {
                throw new ClosedException("Cannot watch a topic: the watch is closed. Open another one.");
            }
            listeners.put(topic, listener);
        }
        lookSoon();
    }

    /** Stops watching a topic. */
    void unwatch(int topic) {
        synchronized (lock) {
            listeners.remove(topic);
            ends.remove(topic);
            staged.remove(topic);
        }
    }

    /** Queries now, or as soon as the current query has ended. */
    void lookSoon() {
        synchronized (lock) {
            isLookWanted = true;
            interval = FLOWING;
            if (isLooking) {
                return;
            }
            stopTimer();
        }
        look();
    }

    /** Whether a query has failed and none has succeeded since. */
    boolean isInterrupted() {
        synchronized (lock) {
            return isInterrupted;
        }
    }

    /** The longest time that batches have waited to be sequenced, over all topics. */
    Duration longestStaged() {
        long now = time.nanos();
        synchronized (lock) {
            return staged.values().stream()
                    .map(each -> Duration.ofNanos(now - each.sinceNanos))
                    .max(Duration::compareTo)
                    .orElse(Duration.ZERO);
        }
    }

    /** The failure to report if a topic's batches have waited 30 seconds to be sequenced. */
    Optional<LogUnavailableException> stuck(int topic) {
        long now = time.nanos();
        synchronized (lock) {
            return Optional.ofNullable(staged.get(topic))
                    .filter(each -> each.isStuck(now))
                    .map(each -> each.failure(now));
        }
    }

    private void hinted(int topic) {
        TopicListener listener;
        synchronized (lock) {
            listener = listeners.get(topic);
        }
        if (listener != null) {
            listener.hinted();
        }
    }

    private void look() {
        Set<Integer> topics;
        synchronized (lock) {
            timer = null;
            if (isClosed || isLooking || listeners.isEmpty()) {
                return;
            }
            isLooking = true;
            isLookWanted = false;
            topics = Set.copyOf(listeners.keySet());
        }
        var ignored = ask(() -> log.look(topics)).whenComplete((states, failure) -> {
            if (failure == null) {
                looked(topics, states);
            } else {
                failed(failure);
            }
        });
    }

    /** Turns an exception of a call into a failed stage. */
    static <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void looked(Set<Integer> topics, List<TopicState> states) {
        List<Runnable> reports = new ArrayList<>();
        List<Integer> unsequenced = new ArrayList<>();
        synchronized (lock) {
            if (isInterrupted) {
                LOG.info("The commit log answers again.");
            }
            isInterrupted = false;
            isLooking = false;
            Set<Integer> missing = new HashSet<>(topics);
            boolean isFlowing = false;
            boolean hasStaged = false;
            for (TopicState state : states) {
                missing.remove(state.topic());
                TopicListener listener = listeners.get(state.topic());
                if (listener == null) {
                    continue;
                }
                reports.add(() -> listener.looked(state));
                Long before = ends.put(state.topic(), state.next());
                isFlowing |= before == null || before != state.next();
                hasStaged |= state.isStaged();
                if (isAbandoned(state)) {
                    unsequenced.add(state.topic());
                }
            }
            missing.forEach(topic -> report(topic, TopicListener::absent, reports));
            lookAgainIn(next(isFlowing, hasStaged));
        }
        reports.forEach(Runnable::run);
        unsequenced.forEach(this::sequence);
    }

    /** Whether a topic's staged batches were there at the last query, and none was moved since. */
    private boolean isAbandoned(TopicState state) {
        if (!state.isStaged()) {
            staged.remove(state.topic());
            return false;
        }
        long now = time.nanos();
        Staged before = staged.get(state.topic());
        if (before == null || before.next != state.next()) {
            staged.put(state.topic(), new Staged(state.topic(), state.next(), now));
            return false;
        }
        if (before.isStuck(now) && !before.isWarned) {
            before.isWarned = true;
            LOG.warn("{}", before.failure(now).getMessage());
        }
        return sequencing.add(state.topic());
    }

    /**
     * Batches that were staged at two queries, while the topic's end stayed. Guarded by the lock.
     */
    private static final class Staged {
        private final int topic;
        private final long next;
        private final long sinceNanos;
        private @Nullable Throwable cause;
        private boolean isWarned;

        Staged(int topic, long next, long sinceNanos) {
            this.topic = topic;
            this.next = next;
            this.sinceNanos = sinceNanos;
        }

        boolean isStuck(long now) {
            return now - sinceNanos >= STUCK.toNanos();
        }

        LogUnavailableException failure(long now) {
            Throwable known = cause;
            return new LogUnavailableException(
                    "Cannot read topic " + topic + ": committed batches wait for their place behind sequence " + next
                            + " for " + Duration.ofNanos(now - sinceNanos).toSeconds() + " s. "
                            + (known == null
                                    ? "No call that gives places has failed. Look for a session that holds a lock of the"
                                            + " log: blobshuffle doctor --log URI."
                                    : known.getMessage()),
                    known);
        }
    }

    private void report(int topic, Consumer<TopicListener> what, List<Runnable> into) {
        TopicListener listener = listeners.get(topic);
        if (listener != null) {
            into.add(() -> what.accept(listener));
        }
    }

    private Duration next(boolean isFlowing, boolean hasStaged) {
        if (hasStaged) {
            interval = FLOWING;
        } else if (hints.areLive()) {
            interval = HINTED;
        } else {
            interval = isFlowing ? FLOWING : shorter(interval.multipliedBy(2), IDLE);
        }
        return interval;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void failed(Throwable failure) {
        List<Runnable> reports = new ArrayList<>();
        synchronized (lock) {
            isLooking = false;
            if (!isInterrupted && !isClosed) {
                LOG.warn("The commit log does not answer; looking again until it does: {}", failure.getMessage());
            }
            isInterrupted = true;
            listeners.keySet().forEach(topic -> report(topic, TopicListener::interrupted, reports));
            interval = shorter(interval.multipliedBy(2), LONGEST_WAIT);
            isLookWanted = false;
            lookAgainIn(interval);
        }
        reports.forEach(Runnable::run);
    }

    private void lookAgainIn(Duration wait) {
        if (!isClosed && !listeners.isEmpty()) {
            try {
                timer = time.schedule(isLookWanted ? Duration.ZERO : wait, this::look);
            } catch (ClosedException e) {
                isClosed = true; // The instance is closing.
            }
        }
    }

    private void sequence(int topic) {
        var ignored = ask(() -> log.sequence(topic))
                .whenComplete(
                        (moved, failure) -> sequenced(topic, failure == null ? moved : OptionalLong.empty(), failure));
    }

    private void sequenced(int topic, OptionalLong moved, @Nullable Throwable failure) {
        boolean isMore;
        synchronized (lock) {
            isMore = moved.orElse(0) >= FULL && listeners.containsKey(topic) && !isClosed;
            if (!isMore) {
                sequencing.remove(topic);
            }
            Staged waiting = staged.get(topic);
            if (waiting != null) {
                waiting.cause = failure instanceof CompletionException ? failure.getCause() : failure;
            }
        }
        if (moved.orElse(0) > 0) {
            hinted(topic);
        }
        if (isMore) {
            sequence(topic);
        }
    }

    private void stopTimer() {
        Time.Cancellable waiting = timer;
        timer = null;
        if (waiting != null) {
            waiting.cancel();
        }
    }

    /** Ends the queries. Idempotent. */
    @Override
    public void close() {
        synchronized (lock) {
            isClosed = true;
            stopTimer();
            listeners.clear();
        }
        hints.close();
    }
}
