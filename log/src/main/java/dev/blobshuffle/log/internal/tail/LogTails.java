package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.tail.LogPage.Source;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The topics that the readers of one instance follow. Each topic has a {@link Tailer}; all share a
 * byte budget and the queries for new batches. Thread-safe.
 */
public final class LogTails implements AutoCloseable {
    private final MeteredLogReads reads;
    private final IntFunction<TopicPages> pages;
    private final long budget;
    private final LogWatch watch;
    private final Map<Integer, Tailer> tailers = new HashMap<>();
    private boolean isClosed;

    /**
     * Starts without topics. All pages come from the log.
     *
     * @param log stays open
     * @param budget the bytes of entries that all topics keep in memory for their readers
     */
    public LogTails(CommitLog log, long budget, Time time) {
        this(log, new MeteredLogReads(log, new ShuffleMetrics(time)), budget, time);
    }

    private LogTails(CommitLog log, MeteredLogReads reads, long budget, Time time) {
        this(log, reads, from(reads), budget, time);
    }

    /** Pages that all come from the log. */
    public static IntFunction<TopicPages> from(MeteredLogReads reads) {
        return topic -> wanted -> reads.read(wanted.request()).thenApply(page -> new LogPage(page, Source.LOG));
    }

    /**
     * Starts without topics.
     *
     * @param log stays open
     * @param reads its reads, for readers far from the others
     * @param pages the source of the pages that most readers of a topic need, by the topic's number
     * @param budget the bytes of entries that all topics keep in memory for their readers
     */
    public LogTails(CommitLog log, MeteredLogReads reads, IntFunction<TopicPages> pages, long budget, Time time) {
        this.reads = reads;
        this.pages = pages;
        this.budget = budget;
        watch = new LogWatch(log, time);
    }

    /**
     * A new reader of a topic.
     *
     * @param topic the topic's number
     * @param from the first sequence to read
     * @param whenMore called on any thread if there may be more batches, or a failure; must not
     *     block
     */
    public TailCursor open(int topic, long from, Runnable whenMore) {
        Tailer tailer;
        TailCursor cursor;
        boolean isNew;
        synchronized (tailers) {
            if (isClosed) {
                throw new ClosedException("Cannot follow a topic: the instance is closed. Open another one.");
            }
            isNew = !tailers.containsKey(topic);
            tailer = tailers.computeIfAbsent(
                    topic, any -> new Tailer(topic, reads, pages.apply(topic), this::share, () -> forget(topic)));
            cursor = tailer.open(from, whenMore);
        }
        if (isNew) {
            watch.watch(topic, tailer);
        }
        return cursor;
    }

    /** Whether the log did not answer the last query. */
    public boolean isInterrupted() {
        return watch.isInterrupted();
    }

    /** The longest time that batches have waited to be sequenced, in the topics read here. */
    public Duration longestStaged() {
        return watch.longestStaged();
    }

    /** The failure to report if a topic's batches have waited 30 seconds to be sequenced. */
    public Optional<LogUnavailableException> stuck(int topic) {
        return watch.stuck(topic);
    }

    /** The part of the budget that each topic may use now. */
    private long share() {
        synchronized (tailers) {
            return budget / Math.max(1, tailers.size());
        }
    }

    /** Removes a tailer without readers, unless a reader has come meanwhile. */
    private void forget(int topic) {
        synchronized (tailers) {
            Tailer tailer = tailers.get(topic);
            if (tailer != null && tailer.isUnused()) {
                tailers.remove(topic);
                watch.unwatch(topic);
            }
        }
    }

    /** Stops following. Readers fail with {@code ClosedException}. Idempotent. */
    @Override
    public void close() {
        watch.close();
        synchronized (tailers) {
            isClosed = true;
            tailers.values().forEach(Tailer::stop);
            tailers.clear();
        }
    }
}
