package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.metrics.Answers;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.postgresql.internal.connection.ConnectionPool;
import dev.blobshuffle.postgresql.internal.connection.DatabaseFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs calls on the pool's connections, on as many threads as there are connections. Calls without
 * a free thread wait in a queue, up to a limit. Thread-safe; owned by the log.
 */
final class Database implements AutoCloseable {
    /** Limit on waiting calls. A caller has few calls in flight, so this many are a mistake. */
    private static final int MOST_CALLS = 10_000;

    private static final Duration LONGEST_END = Duration.ofSeconds(6);

    /** The reaction to a connection that breaks during a call. */
    enum Repeat {
        /** Fail: a second call may have another result. */
        NEVER,
        /** Call again once, on a new connection. */
        ONCE
    }

    /**
     * A call.
     *
     * @param <T> type of the result
     */
    @FunctionalInterface
    interface Call<T> {
        T on(Connection connection) throws SQLException;
    }

    /** A call without a result. */
    @FunctionalInterface
    interface Step {
        void on(Connection connection) throws SQLException;

        private Call<Boolean> asCall() {
            return connection -> {
                on(connection);
                return true;
            };
        }
    }

    private final ConnectionPool pool;
    private final Time time;
    private final Answers answers;
    private final Time.Workers workers;
    private final Signal ended;
    private final Set<CompletableFuture<?>> pending = ConcurrentHashMap.newKeySet();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    Database(ConnectionPool pool, Time time) {
        this.pool = pool;
        this.time = time;
        this.answers = new Answers(time::nanos);
        this.workers = time.workers("blobshuffle-log", pool.uri().connections());
        this.ended = time.signal();
    }

    /** Whether the database answers, from the results of these calls. */
    Answers answers() {
        return answers;
    }

    ConnectionPool pool() {
        return pool;
    }

    /** The schema's name, which needs no quotes. */
    String schema() {
        return pool.uri().schema();
    }

    /** Runs a call in autocommit mode: each of its statements is a transaction of its own. */
    <T> CompletionStage<T> call(String action, Repeat repeat, Call<T> call) {
        return submit(action, () -> {
            try {
                return once(action, call);
            } catch (Broken e) {
                if (repeat == Repeat.NEVER || isClosed.get()) {
                    throw LogFailures.of(action, pool.uri(), e.failure);
                }
                return last(action, call);
            }
        });
    }

    /** Runs a call in one transaction, and commits it. Not repeated. */
    <T> CompletionStage<T> transaction(String action, Call<T> call) {
        return submit(
                action,
                () -> last(action, connection -> {
                    connection.setAutoCommit(false);
                    T result = call.on(connection);
                    connection.commit();
                    return result;
                }));
    }

    /** As {@link #call}, without a result. */
    CompletionStage<Void> run(String action, Repeat repeat, Step step) {
        return call(action, repeat, step.asCall()).thenAccept(done -> {});
    }

    /** As {@link #transaction}, without a result. */
    CompletionStage<Void> transactionStep(String action, Step step) {
        return transaction(action, step.asCall()).thenAccept(done -> {});
    }

    private <T> T last(String action, Call<T> call) {
        try {
            return once(action, call);
        } catch (Broken e) {
            throw LogFailures.of(action, pool.uri(), e.failure);
        }
    }

    private <T> T once(String action, Call<T> call) throws Broken {
        try (Connection connection = pool.borrow(action)) {
            return call.on(connection);
        } catch (SQLException e) {
            if (DatabaseFailures.isDisconnected(e) || DatabaseFailures.isReadOnly(e)) {
                pool.replaceAll();
                throw new Broken(e);
            }
            throw LogFailures.of(action, pool.uri(), e);
        }
    }

    private <T> CompletionStage<T> submit(String action, Attempt<T> attempt) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (pending.size() >= MOST_CALLS) {
            result.completeExceptionally(new LogUnavailableException("Cannot " + action + ": " + MOST_CALLS
                    + " calls wait for the database already. Send fewer at once, or raise the parameter"
                    + " connections."));
            return result;
        }
        pending.add(result);
        try {
            requireOpen(action);
            workers.execute(() -> run(result, attempt));
        } catch (BlobShuffleException e) {
            pending.remove(result);
            result.completeExceptionally(e);
        }
        return result;
    }

    private <T> void run(CompletableFuture<T> result, Attempt<T> attempt) {
        running.incrementAndGet();
        long begun = time.nanos();
        try {
            T value = attempt.get();
            answers.answered();
            pending.remove(result);
            result.complete(value);
        } catch (RuntimeException | Error e) {
            count(e, begun);
            pending.remove(result);
            result.completeExceptionally(e);
        } finally {
            running.decrementAndGet();
            ended.raise();
        }
    }

    /** A failure that the log reports is an answer too. */
    private void count(Throwable failure, long begun) {
        if (failure instanceof LogUnavailableException) {
            answers.failed(failure, begun);
        } else if (!(failure instanceof ClosedException)) {
            answers.answered();
        }
    }

    void requireOpen(String action) {
        if (isClosed.get()) {
            throw new ClosedException("Cannot " + action + ": the log is closed. Open it again.");
        }
    }

    /** Waits for running calls, so that no commit is cut off; fails the others. Idempotent. */
    @Override
    public void close() {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        workers.close();
        awaitRunning();
        pool.close();
        pending.forEach(each -> each.completeExceptionally(
                new ClosedException("Cannot call the log: it was closed meanwhile. Open it again.")));
        pending.clear();
    }

    private void awaitRunning() {
        long deadline = time.nanos() + LONGEST_END.toNanos();
        try {
            for (long seen = ended.count(); running.get() > 0; seen = ended.count()) {
                if (running.get() > 0 && !ended.await(seen, deadline)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @FunctionalInterface
    private interface Attempt<T> {
        T get();
    }

    /** The connection broke, or its server is read-only. */
    private static final class Broken extends Exception {
        private static final long serialVersionUID = 1L;

        final transient SQLException failure;

        Broken(SQLException failure) {
            super(failure);
            this.failure = failure;
        }
    }
}
