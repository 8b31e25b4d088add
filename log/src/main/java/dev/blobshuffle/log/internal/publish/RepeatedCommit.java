package dev.blobshuffle.log.internal.publish;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.BlobExpiredException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.Writer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Repeats one commit with the same numbers and growing pauses until its outcome is known.
 * Attempts run one after another, so no lock is needed.
 */
final class RepeatedCommit {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
    private static final Duration MOST_PAUSE = Duration.ofSeconds(1);

    private final Writer writer;
    private final Time time;
    private final long number;
    private final List<LogBatch> batches;
    private final Consumer<Optional<RuntimeException>> outcome;
    private int attempts;
    private volatile boolean isStopped;

    /**
     * A commit that has not begun.
     *
     * @param outcome called once, from any thread: with the failure if nothing was committed, or
     *     with {@code OutcomeUnknownException} if the outcome cannot be known
     */
    RepeatedCommit(
            Writer writer,
            Time time,
            long number,
            List<LogBatch> batches,
            Consumer<Optional<RuntimeException>> outcome) {
        this.writer = writer;
        this.time = time;
        this.number = number;
        this.batches = batches;
        this.outcome = outcome;
    }

    /** Makes the first or the next attempt. */
    void attempt() {
        if (isStopped) {
            return;
        }
        try {
            writer.commit(number, batches, Optional.empty()).whenComplete((ids, failure) -> answered(failure));
        } catch (RuntimeException e) {
            answered(e);
        }
    }

    /** Makes no further attempt, and reports no outcome that only a further attempt could find. */
    void stop() {
        isStopped = true;
    }

    private void answered(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof LogUnavailableException || cause instanceof OutcomeUnknownException) {
            repeat();
        } else if (cause instanceof RuntimeException known) {
            outcome.accept(Optional.of(attempts == 0 || isAboutTheBatches(known) ? known : unknown(known)));
        } else if (cause != null) {
            outcome.accept(Optional.of(new DeliveryFailedException(
                    "Cannot publish records of " + writer.name() + ": the log failed. Report it.", cause)));
        } else {
            outcome.accept(Optional.empty());
        }
    }

    /**
     * Whether a failure concerns the batches. The log checks batches only if the numbers are free.
     */
    private static boolean isAboutTheBatches(RuntimeException failure) {
        return failure instanceof BlobExpiredException || failure instanceof TopicAbsentException;
    }

    /**
     * The failure of a fenced writer, which cannot find out whether an earlier attempt succeeded.
     */
    private OutcomeUnknownException unknown(RuntimeException failure) {
        return new OutcomeUnknownException(
                "Cannot confirm a commit of " + writer.name()
                        + ": an attempt was not answered, and then the log refused the next one: "
                        + failure.getMessage(),
                failure);
    }

    private void repeat() {
        Duration grown = FIRST_PAUSE.multipliedBy(1L << Math.min(attempts++, 10));
        long nanos = (grown.compareTo(MOST_PAUSE) < 0 ? grown : MOST_PAUSE).toNanos();
        long spread = nanos / 2 + Math.floorMod(time.randomLong(), nanos / 2 + 1);
        try {
            time.schedule(Duration.ofNanos(spread), this::attempt);
        } catch (ClosedException e) {
            outcome.accept(Optional.of(unknown(e))); // The instance is closing.
        }
    }
}
