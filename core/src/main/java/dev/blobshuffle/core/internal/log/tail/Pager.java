package dev.blobshuffle.core.internal.log.tail;

import dev.blobshuffle.core.failure.LogUnavailable;
import dev.blobshuffle.core.failure.LogWentBack;
import dev.blobshuffle.core.failure.PositionTrimmed;
import dev.blobshuffle.core.internal.log.Bookmark;
import dev.blobshuffle.core.internal.log.ReadRequest;
import dev.blobshuffle.core.internal.log.SequencedBatch;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The pages that one reader reads of a topic, one at a time. After a failure the next page is read
 * with a bookmark, because the log may be another one then. Guarded by its tailer's lock.
 */
final class Pager {
    private static final int BATCHES = 500;

    private final int topic;
    private @Nullable SequencedBatch last;
    private boolean mustCheck = true;
    private boolean isReading;
    private boolean isResting;
    private long from;
    private long newsAt;

    Pager(int topic) {
        this.topic = topic;
    }

    /** Whether a page is under way. */
    boolean isReading() {
        return isReading;
    }

    /** Where the page that is under way begins. */
    long from() {
        return from;
    }

    /** How many reports of more batches there had been when the last page began. */
    long newsAt() {
        return newsAt;
    }

    /** Whether a page has failed, and the log has not answered a look since. */
    boolean isResting() {
        return isResting;
    }

    /** The log has answered a look: reading goes on. */
    void rested() {
        isResting = false;
    }

    /** Begins a page. */
    ReadRequest begin(long sequence, long maxBytes, long news) {
        isReading = true;
        from = sequence;
        newsAt = news;
        SequencedBatch read = last;
        Optional<Bookmark> bookmark = mustCheck && read != null ? Optional.of(Bookmark.at(read)) : Optional.empty();
        return new ReadRequest(topic, sequence, BATCHES, maxBytes, bookmark);
    }

    /** The log may be another one: the next page checks that it is not. */
    void mustCheck() {
        mustCheck = true;
    }

    /** Forgets what was read before: it is known that the log went back. */
    void forget() {
        last = null;
    }

    /**
     * Ends a page that arrived.
     *
     * @throws PositionTrimmed its first batch is not the one that was asked for
     * @throws LogWentBack it has a hole
     */
    void arrived(List<SequencedBatch> page) {
        isReading = false;
        long expected = from;
        for (SequencedBatch batch : page) {
            if (batch.sequence() != expected && expected == from && batch.sequence() > from) {
                throw new PositionTrimmed("Cannot read sequence " + from + " of topic " + topic
                        + ": the first that is left is " + batch.sequence() + ". Seek, or set a reset policy.");
            }
            if (batch.sequence() != expected) {
                throw new LogWentBack("Cannot read topic " + topic + ": the log returned sequence " + batch.sequence()
                        + " instead of " + expected + ". Find out whether its database was restored, then seek.");
            }
            expected++;
        }
        mustCheck = false;
        if (!page.isEmpty()) {
            last = page.get(page.size() - 1);
        }
    }

    /**
     * Ends a page that failed.
     *
     * @return what the reader must know; empty if the page is read again
     */
    Optional<RuntimeException> failed(Throwable thrown) {
        isReading = false;
        mustCheck = true;
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof LogUnavailable) {
            isResting = true;
            newsAt = 0;
            return Optional.empty();
        }
        if (cause instanceof LogWentBack) {
            forget();
        }
        return Optional.of(cause instanceof RuntimeException known ? known : new IllegalStateException(cause));
    }
}
