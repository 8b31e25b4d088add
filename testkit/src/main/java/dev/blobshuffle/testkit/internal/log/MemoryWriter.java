package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.testkit.internal.log.LockTable.Key;
import dev.blobshuffle.testkit.internal.log.LockTable.Kind;
import dev.blobshuffle.testkit.internal.log.LogTables.WriterRow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A writer of a {@link MemoryLog}. Thread-safe. */
record MemoryWriter(Connection connection, String name, int epoch, long firstNumber) implements Writer {
    @Override
    public CompletionStage<List<Long>> commit(long number, List<LogBatch> batches, Optional<Consumed> consumed) {
        return connection.call(LogCall.COMMIT, publishing(number, batches, consumed, false));
    }

    Publishing publishing(long number, List<LogBatch> batches, Optional<Consumed> consumed, boolean isUsers) {
        return new Publishing(connection.database(), name, epoch, number, List.copyOf(batches), consumed, isUsers);
    }

    @Override
    public CompletionStage<LogTransaction> begin() {
        return connection.ask(LogCall.OPEN, () -> new MemoryTransaction(connection, this, connection.begin()));
    }

    @Override
    public CompletionStage<Boolean> wasCommitted(long number) {
        MemoryDatabase database = connection.database();
        return connection.call(
                LogCall.QUESTION,
                (session, reply) -> database.locks().exclusive(session, new Key(Kind.WRITER, name), () -> {
                    WriterRow writer = database.tables().writers.get(name);
                    if (writer == null || writer.epoch() < epoch) {
                        reply.fail(new LogWentBackException("Cannot say whether number " + number + " of publisher '"
                                + name + "' is committed: the log lost its epoch. Find out which commits it lost."));
                        return;
                    }
                    if (writer.epoch() == epoch) {
                        session.change(tables -> tables.writers.put(name, writer.reopened(writer.next())));
                    }
                    Map.Entry<Integer, Long> successor = writer.firsts().higherEntry(epoch);
                    boolean ignoresEpoch = database.has(LogDefect.ANSWERS_FOR_ANY_EPOCH);
                    long end = successor == null || ignoresEpoch ? writer.next() : successor.getValue();
                    reply.succeed(number < end);
                }));
    }
}
