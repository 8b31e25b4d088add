package dev.blobshuffle.messaging;

import java.sql.Connection;

/**
 * Publishes, consumed positions and the caller's own statements, committed together. Owned by the
 * thread that began it. Everything that its publisher publishes while it is open belongs to it.
 */
public interface Transaction extends AutoCloseable {
    /**
     * A connection to the log's database for the caller's own statements. They are committed or
     * rolled back with the transaction: do neither yourself. Keep it short: PostgreSQL ends a
     * transaction that is idle for ten seconds.
     */
    Connection connection();

    /**
     * Commits: first uploads everything published, then writes batches and positions, as one
     * database transaction.
     *
     * @throws dev.blobshuffle.core.failure.ConsumerFenced recoverable: nothing is committed; poll
     *     again
     * @throws dev.blobshuffle.core.failure.WriterFenced fatal: nothing is committed
     * @throws dev.blobshuffle.core.failure.OutcomeUnknown recoverable: it may be committed; ask
     *     {@link #wasCommitted}
     * @throws dev.blobshuffle.core.failure.BlobShuffleException recoverable: nothing is committed;
     *     poll again from the committed positions
     */
    void commit();

    /**
     * Whether the transaction was committed, after an {@code OutcomeUnknown}. Fences the publisher:
     * close it and open it again.
     */
    boolean wasCommitted();

    /** Rolls back unless it is committed. Idempotent. */
    @Override
    void close();
}
