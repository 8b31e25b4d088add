package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.LogException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.testkit.internal.log.LogFaults.Fate;
import dev.blobshuffle.testkit.internal.log.LogFaults.Loss;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to a {@link MemoryDatabase}. Calls take time, and lose their requests or
 * answers as the database's plan says. Guarded by the database.
 */
final class Connection {
    private final MemoryDatabase database;
    private final Time time;
    private final Set<Call<?>> calls = new LinkedHashSet<>();
    private final Set<Session> transactions = new LinkedHashSet<>();
    private boolean isClosed;

    /** @param time of the client's machine */
    Connection(MemoryDatabase database, Time time) {
        this.database = database;
        this.time = time;
    }

    MemoryDatabase database() {
        return database;
    }

    Time time() {
        return time;
    }

    /** Runs a statement in a transaction of its own. */
    <T> CompletionStage<T> call(LogCall kind, Statement<T> statement) {
        Call<T> call = new Call<>(kind, statement, Optional.empty(), true);
        database.enter(call::start);
        return call.result;
    }

    /** Answers a question from the committed tables. */
    <T> CompletionStage<T> ask(LogCall kind, Supplier<T> question) {
        return call(kind, (session, reply) -> {
            T answer;
            try {
                answer = question.get();
            } catch (LogException | IllegalArgumentException | IllegalStateException e) {
                reply.fail(e);
                return;
            }
            reply.succeed(answer);
        });
    }

    /** Begins a transaction that ends with {@link #commit} or {@link #rollback}. */
    Session begin() {
        Session session = database.begin();
        transactions.add(session);
        return session;
    }

    /** Runs a statement in an open transaction, which stays open if it succeeds. */
    <T> CompletionStage<T> callIn(Session open, LogCall kind, Statement<T> statement) {
        Call<T> call = new Call<>(kind, statement, Optional.of(open), false);
        database.enter(call::start);
        return call.result;
    }

    /** Commits an open transaction. */
    CompletionStage<Boolean> commit(Session open) {
        Call<Boolean> call = new Call<>(
                LogCall.COMMIT,
                (session, reply) -> {
                    transactions.remove(session);
                    reply.succeed(true);
                },
                Optional.of(open),
                true);
        database.enter(() -> {
            open.handOver();
            call.start();
        });
        return call.result;
    }

    /** Rolls an open transaction back, unless its commit is on the way. Idempotent. */
    void rollback(Session open) {
        database.enter(() -> {
            transactions.remove(open);
            if (!open.isHandedOver()) {
                open.rollback();
            }
        });
    }

    /** Ends all calls. Open transactions are rolled back; statements that run go on. */
    void close() {
        database.enter(() -> {
            isClosed = true;
            List.copyOf(transactions).forEach(this::rollback);
            List.copyOf(calls).forEach(call -> call.giveUp(closed()));
        });
    }

    boolean isClosed() {
        return isClosed;
    }

    private static ClosedException closed() {
        return new ClosedException("Cannot call the log: it was closed. Open another one.");
    }

    /** One call, which is answered once. */
    private final class Call<T> implements Reply<T> {
        private final LogCall kind;
        private final Statement<T> statement;
        private final Optional<Session> open;
        private final boolean isCommitting;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private Fate fate = Fate.SMOOTH;
        private Time.Cancellable timeout = () -> {};
        private @Nullable Session session;
        private long timeline;
        private boolean isEnded;

        Call(LogCall kind, Statement<T> statement, Optional<Session> open, boolean isCommitting) {
            this.kind = kind;
            this.statement = statement;
            this.open = open;
            this.isCommitting = isCommitting;
        }

        void start() {
            if (isClosed) {
                giveUp(closed());
                return;
            }
            calls.add(this);
            fate = database.next(kind);
            timeline = database.timeline();
            database.after(fate.request(), this::arrive);
            if (!isEnded) {
                timeout = time.schedule(
                        database.options().callTimeout(), () -> database.enter(() -> giveUp(unanswered("in time"))));
            }
        }

        private void arrive() {
            if (fate.loss() == Loss.CONNECTION) {
                open.ifPresent(Session::rollback);
                answer(() -> giveUp(unavailable("no connection")));
            } else if (fate.loss() == Loss.REQUEST || timeline != database.timeline()) {
                open.ifPresent(Session::rollback);
                answer(() -> giveUp(unanswered("because the connection broke")));
            } else {
                Session mine = open.orElseGet(database::begin);
                session = mine;
                mine.onAbort(() -> answer(() -> giveUp(unanswered("because the database rolled back"))));
                if (mine.isEnded()) {
                    answer(() -> giveUp(unavailable("the transaction has ended")));
                } else {
                    statement.run(mine, this);
                }
            }
        }

        @Override
        public void succeed(T value) {
            Session mine = MemoryDatabase.required(session);
            if (isCommitting) {
                mine.step(kind, () -> {
                    mine.commit();
                    answer(value);
                });
            } else {
                answer(value);
            }
        }

        @Override
        public void fail(RuntimeException failure) {
            MemoryDatabase.required(session).rollback();
            boolean isLost = isLost();
            answer(() -> giveUp(isLost ? unanswered("because the connection broke") : failure));
        }

        private boolean isLost() {
            return fate.loss() == Loss.ANSWER || timeline != database.timeline();
        }

        private void answer(T value) {
            boolean isLost = isLost();
            answer(() -> {
                if (isLost) {
                    giveUp(unanswered("because the connection broke"));
                } else if (end()) {
                    database.send(() -> result.complete(value));
                }
            });
        }

        private void answer(Runnable answer) {
            if (fate.answer().isZero()) {
                answer.run();
            } else {
                time.schedule(fate.answer(), () -> database.enter(answer));
            }
        }

        /** Ends the call for the client. Its statement in the database goes on. */
        void giveUp(RuntimeException failure) {
            if (end()) {
                database.send(() -> result.completeExceptionally(failure));
            }
        }

        private boolean end() {
            boolean isFirst = !isEnded;
            isEnded = true;
            calls.remove(this);
            timeout.cancel();
            return isFirst;
        }

        private RuntimeException unanswered(String reason) {
            return kind == LogCall.COMMIT && isCommitting
                    ? new OutcomeUnknownException("Cannot say whether a commit happened: it was not answered " + reason
                            + ". Ask before you repeat it.")
                    : unavailable("it was not answered " + reason);
        }

        private LogUnavailableException unavailable(String reason) {
            return new LogUnavailableException("Cannot call the log (" + kind + "): " + reason + ". Try again.");
        }
    }
}
