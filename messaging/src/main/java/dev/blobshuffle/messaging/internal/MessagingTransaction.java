package dev.blobshuffle.messaging.internal;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.messaging.Transaction;
import dev.blobshuffle.messaging.internal.publish.LogPublisher;
import dev.blobshuffle.messaging.internal.subscribe.LogSubscriber;
import java.sql.Connection;
import java.util.Optional;

/**
 * A transaction of one publisher, and of a subscriber if there is one. Owned by one thread.
 *
 * <pre>
 *   OPEN ──commit──▶ COMMITTED
 *    │ └──outcome unknown──▶ UNKNOWN ──wasCommitted──▶ COMMITTED or ROLLED_BACK
 *    └──close, or commit failed──▶ ROLLED_BACK
 * </pre>
 */
final class MessagingTransaction implements Transaction {
    private enum State {
        OPEN,
        COMMITTED,
        UNKNOWN,
        ROLLED_BACK
    }

    private final LogPublisher<?, ?> publisher;
    private final Optional<LogSubscriber<?, ?>> subscriber;
    private final LogTransaction transaction;
    private State state = State.OPEN;

    private MessagingTransaction(
            LogPublisher<?, ?> publisher, Optional<LogSubscriber<?, ?>> subscriber, LogTransaction transaction) {
        this.publisher = publisher;
        this.subscriber = subscriber;
        this.transaction = transaction;
    }

    static MessagingTransaction begin(LogPublisher<?, ?> publisher, Optional<LogSubscriber<?, ?>> subscriber) {
        return new MessagingTransaction(publisher, subscriber, publisher.beginTransaction());
    }

    @Override
    public Connection connection() {
        checkOpen("use the connection");
        return transaction.unwrap(Connection.class);
    }

    @Override
    public void commit() {
        checkOpen("commit");
        try {
            Optional<Consumed> consumed = subscriber.flatMap(LogSubscriber::consumed);
            publisher.commitTransaction(transaction, consumed);
            state = State.COMMITTED;
            subscriber.ifPresent(LogSubscriber::committed);
        } catch (OutcomeUnknownException e) {
            state = State.UNKNOWN;
            throw e;
        } catch (ConsumerFencedException e) {
            subscriber.ifPresent(LogSubscriber::fenced);
            rollBackAfter(e);
            throw e;
        } catch (RuntimeException e) {
            if (state == State.OPEN) {
                rollBackAfter(e);
            }
            throw e;
        } finally {
            transaction.close();
        }
    }

    @Override
    public boolean wasCommitted() {
        if (state == State.UNKNOWN) {
            boolean isCommitted = publisher.wasCommitted();
            if (isCommitted) {
                state = State.COMMITTED;
                subscriber.ifPresent(LogSubscriber::committed);
            } else {
                rollBack();
            }
        }
        return state == State.COMMITTED;
    }

    private void rollBackAfter(RuntimeException failure) {
        try {
            rollBack();
        } catch (BlobShuffleException e) {
            failure.addSuppressed(e);
        }
    }

    /** Rolls back; the database first, so that no other session waits for its locks. */
    private void rollBack() {
        state = State.ROLLED_BACK;
        transaction.close();
        publisher.abortTransaction();
        subscriber.ifPresent(LogSubscriber::rollBack);
    }

    private void checkOpen(String action) {
        if (state != State.OPEN) {
            throw new IllegalStateException("Cannot " + action + ": the transaction has ended. Begin another one.");
        }
    }

    @Override
    public void close() {
        if (state == State.OPEN) {
            rollBack();
        } else {
            transaction.close();
        }
    }
}
