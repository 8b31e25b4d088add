package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pages of a topic for one reader, one page at a time. After a failure, the next page is
 * read from the log with a bookmark, because the log may have changed. After pages of other
 * members, the next page from the log has a bookmark too: the log must contain what they sent.
 * Guarded by its tailer's lock.
 */
final class Pager {
    private static final int BATCHES = 500;

    private final int topic;
    private @Nullable SequencedBatch last;
    private boolean mustCheck = true;

    /** Whether another member sent the last page. */
    private boolean isUnchecked;

    private boolean isBoundToLog;
    private boolean isOutdated;
    private boolean isReading;
    private boolean isResting;
    private long from;
    private long newsAt;

    Pager(int topic) {
        this.topic = topic;
    }

    /** Whether a page is being read. */
    boolean isReading() {
        return isReading;
    }

    /** The first sequence of the page that is being read. */
    long from() {
        return from;
    }

    /** The number of reports of new batches when the last page began. */
    long newsAt() {
        return newsAt;
    }

    /** Whether a page has failed, and the log has not answered a query since. */
    boolean isResting() {
        return isResting;
    }

    /** Called when the log has answered a query: reading continues. */
    void rested() {
        isResting = false;
    }

    /** Begins a page. */
    ReadRequest begin(long sequence, long maxBytes, long news) {
        isReading = true;
        isOutdated = false;
        from = sequence;
        newsAt = news;
        SequencedBatch read = last;
        Optional<Bookmark> bookmark =
                (mustCheck || isUnchecked) && read != null ? Optional.of(Bookmark.at(read)) : Optional.empty();
        isBoundToLog = mustCheck || read == null || read.sequence() + 1 != sequence;
        mustCheck = false;
        return new ReadRequest(topic, sequence, BATCHES, maxBytes, bookmark);
    }

    /** The batch before the page that is being read; empty if only the log may answer. */
    Optional<Bookmark> before() {
        SequencedBatch read = last;
        return isBoundToLog || read == null ? Optional.empty() : Optional.of(Bookmark.at(read));
    }

    /** Makes the next page check the log, which may have changed. */
    void mustCheck() {
        mustCheck = true;
    }

    /** Drops the bookmark: the log is known to have gone back. */
    void forget() {
        last = null;
        isOutdated = isReading;
    }

    /** The page, or none if another member sent it and the log went back meanwhile. */
    LogPage current(LogPage page) {
        if (!isOutdated || page.source() == LogPage.Source.LOG) {
            return page;
        }
        newsAt = 0;
        return new LogPage(List.of(), LogPage.Source.LOG);
    }

    /**
     * Ends a page that arrived.
     *
     * @throws PositionTrimmedException its first batch is not the requested one
     * @throws LogWentBackException it has a hole
     */
    void arrived(LogPage page) {
        isReading = false;
        long expected = from;
        for (SequencedBatch batch : page.batches()) {
            if (batch.sequence() != expected && expected == from && batch.sequence() > from) {
                throw new PositionTrimmedException("Cannot read sequence " + from + " of topic " + topic
                        + ": the first that is left is " + batch.sequence() + ". Seek, or set a reset policy.");
            }
            if (batch.sequence() != expected) {
                throw new LogWentBackException("Cannot read topic " + topic + ": the log returned sequence "
                        + batch.sequence() + " instead of " + expected
                        + ". Find out whether its database was restored, then seek.");
            }
            expected++;
        }
        isUnchecked = page.source() == LogPage.Source.MEMBER;
        if (!page.batches().isEmpty()) {
            last = page.batches().get(page.batches().size() - 1);
        }
    }

    /**
     * Ends a page that failed.
     *
     * @return the failure for the reader; empty if the page is read again
     */
    Optional<RuntimeException> failed(Throwable thrown) {
        isReading = false;
        mustCheck = true;
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof LogUnavailableException) {
            isResting = true;
            newsAt = 0;
            return Optional.empty();
        }
        if (cause instanceof LogWentBackException) {
            forget();
        }
        return Optional.of(cause instanceof RuntimeException known ? known : new IllegalStateException(cause));
    }
}
