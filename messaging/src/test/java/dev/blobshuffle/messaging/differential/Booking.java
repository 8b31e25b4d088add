package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.messaging.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An open transaction of a writer, with or without a reader, and the effects of its statements. */
final class Booking {
    private static final String READ_ONLY = "25006";

    private final Session session;
    final Writer writer;

    /** The subscriber whose positions it commits; null if there is none. */
    private final @Nullable Readers readers;

    private final Transaction real;

    /** The effects in the current database transaction. */
    private final List<Runnable> written = new ArrayList<>();

    /** Whether the caller has ended the database transaction, or must not commit it. */
    private boolean isMisused;

    private boolean hasFailed;
    private boolean isReadOnly;

    /**
     * Whether the database has refused a write as a standby does, so that the connection is
     * dropped.
     */
    private boolean isBroken;

    Booking(Session session, Writer writer, @Nullable Readers readers, Transaction real) {
        this.session = session;
        this.writer = writer;
        this.readers = readers;
        this.real = real;
        writer.inTransaction = true;
    }

    boolean hasReaders() {
        return readers != null;
    }

    String run(Statement statement) {
        String actual = Outcome.of(() -> {
            if (statement == Statement.INSERT) {
                session.insert(real.connection());
            } else {
                execute(real.connection(), statement.text);
            }
            return "done";
        });
        String said = Session.expect(expected(statement), actual);
        if (actual.equals("done")) {
            follow(statement);
        } else {
            fail(actual);
        }
        return said;
    }

    private void fail(String said) {
        hasFailed = true;
        isBroken |= said.equals("throws " + READ_ONLY);
    }

    private static void execute(Connection connection, String text) throws SQLException {
        try (java.sql.Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    private String expected(Statement statement) {
        boolean isEnd = statement.isRollback() || statement.isCommit();
        if (isBroken) {
            return "throws null";
        } else if (hasFailed && !isEnd) {
            return "throws 25P02";
        } else if (statement == Statement.FAIL) {
            return "throws 22012";
        }
        return isReadOnly && statement == Statement.INSERT ? "throws " + READ_ONLY : "done";
    }

    private void follow(Statement statement) {
        if (statement == Statement.INSERT) {
            written.add(session::inserted);
        }
        isReadOnly |= statement == Statement.READ_ONLY;
        if (statement.isRollback() || statement.isCommit()) {
            if (statement.isCommit() && !hasFailed) {
                written.forEach(Runnable::run);
                session.settle();
            }
            written.clear();
            isMisused = true;
            hasFailed = false;
            isReadOnly = statement == Statement.ROLLBACK_AND_CHAIN && isReadOnly;
        }
    }

    String outbox(Outboxes.Call call, @Nullable ModelTopic topic, int number) {
        String expected = call.expected(topic);
        if (isBroken) {
            expected = "throws null";
        } else if (hasFailed) {
            expected = "throws 25P02";
        } else if (isReadOnly && expected.equals("published")) {
            expected = "throws " + READ_ONLY;
        }
        String said = Session.expect(expected, Outcome.of(() -> call.run(real.connection())));
        if (!said.equals("published")) {
            fail(said);
        } else {
            ModelRecord record = call.record(number, topic);
            written.add(() -> topic.arrive(record));
        }
        return said;
    }

    String commit() {
        boolean isStale = writer.isStale();
        String consumed = readers == null ? "" : readers.beforeCommit();
        String actual = Outcome.of(() -> {
            real.commit();
            return "committed";
        });
        String expected = "committed";
        if (isBroken) {
            expected = Outcome.failure(LogUnavailableException.class);
        } else if (isMisused || hasFailed || isReadOnly) {
            expected = Outcome.failure(IllegalStateException.class);
        } else if (isStale) {
            expected = Outcome.failure(TopicAbsentException.class);
        }
        String said = Session.expect(expected, actual);
        if (real.wasCommitted() != said.equals("committed")) {
            throw new AssertionError("The transaction said " + said + " and wasCommitted " + real.wasCommitted());
        }
        real.close();
        if (said.equals("committed")) {
            written.forEach(Runnable::run);
            writer.committed();
            String settled = session.settle();
            return said + settled + (readers == null ? "" : consumed + readers.afterCommit());
        }
        rolledBack();
        if (said.equals(Outcome.failure(TopicAbsentException.class))) {
            session.forgetAll(writer.storage);
        }
        return said;
    }

    String rollBack() {
        if (session.world.fault == Fault.ROLLBACK_KEPT && !hasFailed && !isMisused && !isReadOnly) {
            real.commit();
        }
        real.close();
        rolledBack();
        return "rolled back";
    }

    private void rolledBack() {
        writer.rolledBack();
        if (readers != null) {
            readers.rolledBack();
        }
    }
}
