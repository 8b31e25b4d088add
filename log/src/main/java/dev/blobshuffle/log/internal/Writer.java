package dev.blobshuffle.log.internal;

import dev.blobshuffle.log.internal.group.Consumed;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * One publisher's right to write. Its commits have numbers, so a repeated commit is stored once.
 * Thread-safe, but commits must be called in the order of their numbers, each after the previous
 * one has ended.
 */
public interface Writer {
    /** The publisher's name. */
    String name();

    /** Rises with every writer of this name. */
    int epoch();

    /** The number of this writer's first commit. Numbers are never reused. */
    long firstNumber();

    /**
     * Commits batches and consumed positions together. Each batch takes one number; a commit
     * without a batch takes one too. A repeated call with the same numbers succeeds, with the same
     * ids, if the first one did.
     *
     * <p>Fails with {@code WriterFencedException}, {@code ConsumerFencedException},
     * {@code BlobExpiredException} or {@code TopicAbsentException}: nothing is committed, and the
     * numbers are free. After an unanswered call with the same numbers,
     * {@code WriterFencedException} leaves the outcome of that call open. Fails with
     * {@code LogUnavailableException} or {@code OutcomeUnknownException}: it may be committed; call
     * again with the same arguments. Fails with {@code LogWentBackException} if the log lacks
     * earlier numbers.
     *
     * @param number of the first batch
     * @return the batches' ids, in their order
     */
    CompletionStage<List<Long>> commit(long number, List<LogBatch> batches, Optional<Consumed> consumed);

    /** Opens a transaction in the log's database. One at a time per writer. */
    CompletionStage<LogTransaction> begin();

    /**
     * Whether the commit with a number happened. First fences this writer, so that a commit in
     * flight can no longer succeed: open another writer afterwards.
     */
    CompletionStage<Boolean> wasCommitted(long number);
}
