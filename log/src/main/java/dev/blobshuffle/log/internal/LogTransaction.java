package dev.blobshuffle.log.internal;

import dev.blobshuffle.log.internal.group.Consumed;
import java.util.List;
import java.util.Optional;

/**
 * A transaction of the log's database that the caller's own statements can join. Owned by one
 * thread. Its methods block.
 */
public interface LogTransaction extends AutoCloseable {
    /**
     * The handle for the caller's statements.
     *
     * @param type such as {@code java.sql.Connection}
     * @throws UnsupportedOperationException if the log has no such handle
     */
    <T> T unwrap(Class<T> type);

    /**
     * Adds batches and consumed positions, and commits everything. As {@link Writer#commit}, except
     * that a number that is already committed fails with {@code AlreadyCommittedException} and
     * rolls back, because the caller's statements would be applied twice.
     *
     * @throws IllegalStateException nothing is committed: the transaction has ended, possibly by a
     *     statement of the caller
     * @throws dev.blobshuffle.log.failure.LogException nothing is committed, unless it is
     *     {@code OutcomeUnknownException}
     */
    List<Long> commit(long number, List<LogBatch> batches, Optional<Consumed> consumed);

    /** Rolls back unless it is committed, and releases the connection. Idempotent. */
    @Override
    void close();
}
