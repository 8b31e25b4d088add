package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.log.failure.LogException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.failure.WriterFencedException;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.postgresql.internal.connection.DatabaseFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A writer, in a row of the schema. Thread-safe, if commits are called one after another. */
final class PostgresqlWriter implements Writer {
    private static final String COMMIT = "commit to the log";

    /** A number that no writer reaches, so a commit with it has no effect. */
    private static final long NEVER = Long.MAX_VALUE / 2;

    private final Database database;
    private final LentConnections lent;
    private final String name;
    private final Opened opened;

    /**
     * The result of opening a writer.
     *
     * @param writer the writer's number
     * @param epoch its epoch
     * @param next its first number
     */
    record Opened(long writer, int epoch, long next) {}

    PostgresqlWriter(Database database, LentConnections lent, String name, Opened opened) {
        this.database = database;
        this.lent = lent;
        this.name = name;
        this.opened = opened;
    }

    static CompletionStage<Opened> open(Database database, String name) {
        return database.call(
                        "open writer '" + name + "'",
                        Database.Repeat.ONCE,
                        connection -> FunctionCall.of(connection, database.schema(), "init_writer", name)
                                .one(row -> new Opened(row.getLong(1), row.getInt(2), row.getLong(3))))
                .exceptionallyCompose(LogFailures::refused);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int epoch() {
        return opened.epoch();
    }

    @Override
    public long firstNumber() {
        return opened.next();
    }

    @Override
    public CompletionStage<List<Long>> commit(long number, List<LogBatch> batches, Optional<Consumed> consumed) {
        Attempts attempts = new Attempts(publication(number, batches, consumed));
        return database.call(COMMIT, Database.Repeat.ONCE, attempts).exceptionallyCompose(attempts::failed);
    }

    Publication publication(long number, List<LogBatch> batches, Optional<Consumed> consumed) {
        return new Publication(opened.writer(), opened.epoch(), number, batches, consumed);
    }

    LogException refused(Publication.Status status, long number) {
        if (status == Publication.Status.GAP) {
            return new LogWentBackException(
                    "Cannot " + COMMIT + " in " + database.pool().uri() + ": it lacks commits of writer '"
                            + name + "' before number " + number
                            + ", which it had acknowledged. Find out whether a standby that"
                            + " was behind was promoted, or a backup was restored.");
        }
        return new WriterFencedException("Cannot " + COMMIT + " in "
                + database.pool().uri() + ": another writer '" + name
                + "' was opened after epoch " + opened.epoch() + ". Close this publisher, and give each one its own"
                + " name.");
    }

    LogException unknown(Throwable cause) {
        return new OutcomeUnknownException(
                "Cannot determine whether a commit of writer '" + name + "' is in "
                        + database.pool().uri()
                        + ": the answer was lost. Ask whether it is, or repeat the same commit.",
                cause);
    }

    LogException unreplicated() {
        return new OutcomeUnknownException("Cannot determine whether a commit of writer '" + name + "' is durable in "
                + database.pool().uri() + ": the server stopped waiting for its standbys. Repeat the same commit; check"
                + " the standbys.");
    }

    @Override
    public CompletionStage<LogTransaction> begin() {
        return lent.begin(this);
    }

    /** Fences only the current epoch: a successor continues undisturbed. */
    @Override
    public CompletionStage<Boolean> wasCommitted(long number) {
        return database.transaction("ask for a commit of writer '" + name + "'", connection -> {
            Publication question = publication(NEVER, List.of(), Optional.empty());
            if (question.publish(connection, database.schema()).status() != Publication.Status.FENCED) {
                FunctionCall.of(connection, database.schema(), "init_writer", name)
                        .run();
            }
            return FunctionCall.of(
                            connection, database.schema(), "was_committed", opened.writer(), opened.epoch(), number)
                    .one(row -> row.getBoolean(1));
        });
    }

    /** One commit, and its repetition after the connection breaks. */
    private final class Attempts implements Database.Call<List<Long>> {
        private final Publication publication;

        /** Whether an attempt was sent and got no answer. */
        private volatile boolean isUnknown;

        Attempts(Publication publication) {
            this.publication = publication;
        }

        @Override
        public List<Long> on(Connection connection) throws SQLException {
            try {
                return publish(connection);
            } catch (SQLException e) {
                isUnknown = isUnknown || DatabaseFailures.isDisconnected(e);
                throw e;
            }
        }

        private List<Long> publish(Connection connection) throws SQLException {
            Publication.Answer answer = publication.publish(connection, database.schema());
            return switch (answer.status()) {
                case OK -> replicated(answer.isReplicated(), answer.ids());
                case DUPLICATE -> replicated(Replication.await(connection), answer.ids());
                case FENCED, GAP -> throw refused(answer.status(), publication.number());
            };
        }

        private List<Long> replicated(boolean isReplicated, List<Long> ids) {
            if (!isReplicated) {
                throw unreplicated();
            }
            return ids;
        }

        /**
         * After an attempt without an answer, a second attempt without a result leaves the outcome
         * open.
         */
        CompletionStage<List<Long>> failed(Throwable failure) {
            return CompletableFuture.failedStage(
                    isUnknown && failure instanceof LogUnavailableException ? unknown(failure) : failure);
        }
    }
}
