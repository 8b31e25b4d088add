package dev.blobshuffle.messaging;

import java.sql.Connection;

/**
 * Published records, consumed positions and the caller's own statements that are committed
 * together. Owned by the thread that began it. Everything that its publisher publishes while it is
 * open belongs to it.
 */
public interface Transaction extends AutoCloseable {
    /**
     * A connection to the log's database for the caller's own statements. They are committed or
     * rolled back with the transaction: do neither yourself, not even as SQL. Session settings that
     * statements change end with the transaction. Behind a transaction pooler they do not: use
     * {@code set local} there.
     */
    Connection connection();

    /**
     * Commits: first uploads everything published, then writes batches and positions in one
     * database transaction.
     *
     * @throws IllegalStateException a statement of the caller has ended the database transaction,
     *     made it read-only, or failed, or a deferred constraint refuses the caller's rows; nothing
     *     is published
     * @throws dev.blobshuffle.log.failure.ConsumerFencedException recoverable: nothing is
     *     committed; poll again
     * @throws dev.blobshuffle.log.failure.WriterFencedException fatal: nothing is committed
     * @throws dev.blobshuffle.log.failure.OutcomeUnknownException recoverable: it may be committed;
     *     call {@link #wasCommitted}
     * @throws dev.blobshuffle.core.failure.BlobShuffleException recoverable: nothing is committed;
     *     poll again from the committed positions
     */
    void commit();

    /**
     * Whether the transaction was committed, after an {@code OutcomeUnknownException}. Fences the
     * publisher: close it and open it again.
     */
    boolean wasCommitted();

    /** Rolls back unless it is committed. Idempotent. */
    @Override
    void close();
}
