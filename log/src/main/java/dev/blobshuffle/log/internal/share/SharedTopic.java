package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.share.PageRefusedException.Reason;
import dev.blobshuffle.log.internal.tail.BatchRing;
import dev.blobshuffle.log.internal.tail.MeteredLogReads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The latest batches of a topic, read once for all requesters. The ring follows the foremost
 * requester. It moves back only after a time without requests.
 *
 * <p>Every read of the log has a bookmark, so the ring is a chain of the log's batches. But the log
 * may go back while the ring stays. So batches in memory are returned only within 2 seconds after a
 * read has compared the end of the ring with the log. A failed read ends that time. Thread-safe.
 */
final class SharedTopic {
    private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();
    private static final int MOST_WAITING = 1_000;

    private final int topic;
    private final MeteredLogReads reads;
    private final LongSupplier share;
    private final Time time;
    private final Object lock = new Object();

    /** Guarded by the lock, like everything below. */
    private final BatchRing ring = new BatchRing();

    private List<Waiting> waiting = new ArrayList<>();

    /**
     * The batch before the ring, and the last batch of the ring; none before the first question.
     */
    private @Nullable Bookmark start;

    private @Nullable Bookmark last;
    private boolean isReading;
    private boolean isCompared;
    private long reading;
    private long comparedNanos;
    private long askedNanos;

    /**
     * A question that a read will answer.
     *
     * @param begun number of reads that had begun when it arrived
     */
    private record Waiting(LogQuestion question, CompletableFuture<List<SequencedBatch>> answer, long begun) {}

    SharedTopic(int topic, MeteredLogReads reads, LongSupplier share, Time time) {
        this.topic = topic;
        this.reads = reads;
        this.share = share;
        this.time = time;
        askedNanos = time.nanos();
    }

    /** Whether there were no recent questions, and none waits. */
    boolean isIdle() {
        synchronized (lock) {
            return isUnused() && waiting.isEmpty() && !isReading;
        }
    }

    private boolean isUnused() {
        return time.nanos() - askedNanos > FRESH_NANOS;
    }

    CompletionStage<List<SequencedBatch>> page(LogQuestion question) {
        CompletableFuture<List<SequencedBatch>> answer = new CompletableFuture<>();
        List<Runnable> after = new ArrayList<>(1);
        synchronized (lock) {
            moveTo(question);
            Optional<Reason> refusal = refusal(question);
            if (refusal.isPresent()) {
                return CompletableFuture.failedFuture(new PageRefusedException(refusal.get()));
            }
            askedNanos = time.nanos();
            List<SequencedBatch> here = isFresh() ? take(question) : List.of();
            if (!here.isEmpty()) {
                return CompletableFuture.completedFuture(here);
            }
            waiting.add(new Waiting(question, answer, reading));
            readMore(after);
        }
        after.forEach(Runnable::run);
        return answer;
    }

    private void moveTo(LogQuestion question) {
        boolean isAhead = question.from() > ring.next();
        if (last == null || (!isReading && (isAhead || (isUnused() && !ring.reaches(question.from()))))) {
            ring.restart(question.from());
            start = question.after();
            last = question.after();
            isCompared = false;
        }
    }

    private Optional<Reason> refusal(LogQuestion question) {
        if (waiting.size() == MOST_WAITING) {
            return Optional.of(Reason.BUSY);
        }
        if (!ring.reaches(question.from())) {
            return Optional.of(Reason.ELSEWHERE);
        }
        Optional<Bookmark> before = before(question.from());
        if (before.isEmpty()) {
            return Optional.of(Reason.ELSEWHERE);
        }
        if (!before.get().equals(question.after())) {
            // Ring and question belong to different logs. The next read finds out which is valid.
            isCompared = false;
            return Optional.of(Reason.OTHER_BATCH);
        }
        return Optional.empty();
    }

    /** The batch before a sequence, if it is known. */
    private Optional<Bookmark> before(long sequence) {
        if (last != null && last.sequence() == sequence - 1) {
            return Optional.of(last);
        }
        if (start != null && start.sequence() == sequence - 1) {
            return Optional.of(start);
        }
        return ring.from(sequence - 1, 1, 1).stream().findFirst().map(Bookmark::at);
    }

    private boolean isFresh() {
        return isCompared && time.nanos() - comparedNanos <= FRESH_NANOS;
    }

    private List<SequencedBatch> take(LogQuestion question) {
        return ring.from(question.from(), LogQuestion.MOST_BATCHES, question.maxBytes());
    }

    /** Plans a read if none is in flight. The caller starts it without the lock. */
    private void readMore(List<Runnable> after) {
        if (isReading || waiting.isEmpty()) {
            return;
        }
        isReading = true;
        reading++;
        ReadRequest request = new ReadRequest(
                topic, ring.next(), LogQuestion.MOST_BATCHES, LogQuestion.MOST_BYTES, Optional.ofNullable(last));
        after.add(() -> {
            var ignored = reads.read(request).whenComplete(this::arrived);
        });
    }

    private void arrived(@Nullable List<SequencedBatch> page, @Nullable Throwable failure) {
        long most = share.getAsLong();
        List<Runnable> after = new ArrayList<>();
        synchronized (lock) {
            isReading = false;
            if (page != null && isNext(page)) {
                keep(page, most);
                answerAll(after);
                readMore(after);
            } else {
                isCompared = false;
                last = null; // The ring moves: its batches may no longer be in the log.
                refuseAll(after);
            }
        }
        after.forEach(Runnable::run);
    }

    private boolean isNext(List<SequencedBatch> page) {
        long expected = ring.next();
        for (SequencedBatch batch : page) {
            if (batch.sequence() != expected++) {
                return false;
            }
        }
        return true;
    }

    private void keep(List<SequencedBatch> page, long most) {
        isCompared = true;
        comparedNanos = time.nanos();
        if (!page.isEmpty()) {
            ring.add(page);
            ring.evict(most);
            last = Bookmark.at(page.get(page.size() - 1));
        }
    }

    /**
     * Answers questions whose batches are here, and questions older than a read that found nothing.
     */
    private void answerAll(List<Runnable> after) {
        List<Waiting> later = new ArrayList<>();
        for (Waiting each : waiting) {
            List<SequencedBatch> batches = take(each.question());
            boolean isAtEnd = each.question().from() == ring.next();
            if (!batches.isEmpty() || (isAtEnd && each.begun() < reading)) {
                after.add(() -> each.answer().complete(batches));
            } else if (isAtEnd) {
                later.add(each);
            } else {
                after.add(() -> each.answer().completeExceptionally(new PageRefusedException(Reason.ELSEWHERE)));
            }
        }
        waiting = later;
    }

    private void refuseAll(List<Runnable> after) {
        for (Waiting each : waiting) {
            after.add(() -> each.answer().completeExceptionally(new PageRefusedException(Reason.LOG_FAILED)));
        }
        waiting = new ArrayList<>();
    }
}
