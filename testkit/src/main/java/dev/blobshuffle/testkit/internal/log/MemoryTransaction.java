package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.log.failure.LogException;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.group.Consumed;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A transaction of a {@link MemoryDatabase} that a user's rows join. Owned by one thread, which
 * waits in its methods.
 */
final class MemoryTransaction implements LogTransaction {
    private final Connection connection;
    private final MemoryWriter writer;
    private final Session session;

    MemoryTransaction(Connection connection, MemoryWriter writer, Session session) {
        this.connection = connection;
        this.writer = writer;
        this.session = session;
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        if (!type.equals(UserTable.class)) {
            throw new UnsupportedOperationException(
                    "Cannot unwrap to " + type.getName() + ": this log is in memory. Unwrap to UserTable.");
        }
        UserTable table = row -> connection.database().enter(() -> session.change(tables -> tables.rows.add(row)));
        return type.cast(table);
    }

    @Override
    public List<Long> commit(long number, List<LogBatch> batches, Optional<Consumed> consumed) {
        try {
            List<Long> ids = await(
                    connection.callIn(session, LogCall.COMMIT, writer.publishing(number, batches, consumed, true)));
            boolean ignored = await(connection.commit(session));
            return ids;
        } catch (LogException e) {
            close();
            throw e;
        }
    }

    private <T> T await(CompletionStage<T> stage) {
        return Answers.await(connection.time(), stage);
    }

    @Override
    public void close() {
        connection.rollback(session);
    }
}
