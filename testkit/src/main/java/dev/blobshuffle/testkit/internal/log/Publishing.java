package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.failure.AlreadyCommittedException;
import dev.blobshuffle.log.failure.BlobExpiredException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.failure.WriterFencedException;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.testkit.internal.log.LockTable.Key;
import dev.blobshuffle.testkit.internal.log.LockTable.Kind;
import dev.blobshuffle.testkit.internal.log.LogTables.BatchRow;
import dev.blobshuffle.testkit.internal.log.LogTables.WriterNumber;
import dev.blobshuffle.testkit.internal.log.LogTables.WriterRow;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * One commit of a writer. It does the same as the function {@code publish} of the log in
 * PostgreSQL, in the same order. The order matters: the lock against burials comes before the
 * clock, and identities are drawn inside. Guarded by the database.
 *
 * @param name of the writer
 * @param first number of the first batch
 * @param isUsers whether it is part of a user's transaction
 */
record Publishing(
        MemoryDatabase database,
        String name,
        int epoch,
        long first,
        List<LogBatch> batches,
        Optional<Consumed> consumed,
        boolean isUsers)
        implements Statement<List<Long>> {
    @Override
    public void run(Session session, Reply<List<Long>> reply) {
        database.locks().exclusive(session, new Key(Kind.WRITER, name), () -> takeNumbers(session, reply));
    }

    private int count() {
        return Math.max(1, batches.size());
    }

    private void takeNumbers(Session session, Reply<List<Long>> reply) {
        WriterRow writer = database.tables().writers.get(name);
        if (writer == null || writer.epoch() < epoch) {
            reply.fail(new LogWentBackException(
                    cannotPublish("the log knows no writer of epoch " + epoch + ". Open the publisher again.")));
        } else if (writer.epoch() > epoch) {
            reply.fail(fenced());
        } else if (writer.next() >= first + count()) {
            duplicate(session, reply, writer);
        } else if (writer.next() != first) {
            reply.fail(unexpected(writer));
        } else {
            session.change(tables -> tables.writers.computeIfPresent(name, (any, row) -> row.next(first + count())));
            lockTopics(
                    session,
                    reply,
                    writer,
                    new TreeSet<>(batches.stream().map(LogBatch::topic).toList()).iterator());
        }
    }

    private void duplicate(Session session, Reply<List<Long>> reply, WriterRow writer) {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < batches.size(); i++) {
            Long id = database.tables().numbers.get(new WriterNumber(writer.id(), first + i));
            if (id != null) {
                ids.add(id);
            }
        }
        if (isUsers && !database.has(LogDefect.DUPLICATE_IN_TRANSACTION_SUCCEEDS)) {
            reply.fail(new AlreadyCommittedException(
                    cannotPublish("number " + first + " is committed already. Roll back, and go on.")));
        } else if (!isUsers && database.has(LogDefect.DUPLICATE_FAILS)) {
            reply.fail(unexpected(writer));
        } else {
            reply.succeed(ids);
        }
    }

    private LogWentBackException unexpected(WriterRow writer) {
        return new LogWentBackException(cannotPublish(
                "the log expects number " + writer.next() + ", not " + first + ". Find out which commits it lost."));
    }

    private WriterFencedException fenced() {
        return new WriterFencedException(cannotPublish("another publisher of this name was opened. Close this one."));
    }

    private void lockTopics(Session session, Reply<List<Long>> reply, WriterRow writer, Iterator<Integer> topics) {
        if (!topics.hasNext()) {
            TreeSet<Long> generations = batches.stream()
                    .flatMap(batch -> batch.blobs().stream())
                    .map(BlobId::generation)
                    .collect(Collectors.toCollection(TreeSet::new));
            session.step(LogCall.COMMIT, () -> lockGenerations(session, reply, writer, generations.iterator()));
            return;
        }
        int topic = topics.next();
        database.locks().shared(session, new Key(Kind.TOPIC, topic), () -> {
            if (database.tables().topic(topic).isEmpty()) {
                reply.fail(new TopicAbsentException(
                        cannotPublish("topic " + topic + " does not exist. Create it, or find its new number.")));
            } else {
                lockTopics(session, reply, writer, topics);
            }
        });
    }

    private void lockGenerations(
            Session session, Reply<List<Long>> reply, WriterRow writer, Iterator<Long> generations) {
        if (!generations.hasNext()) {
            stage(session, reply, writer);
            return;
        }
        long generation = generations.next();
        Key key = new Key(Kind.GENERATION, generation);
        if (database.has(LogDefect.CLOCK_READ_BEFORE_LOCK)) {
            long early = database.clockMinute();
            session.step(
                    LogCall.COMMIT,
                    () -> database.locks()
                            .shared(
                                    session,
                                    key,
                                    () -> checkAge(session, reply, writer, generation, early, generations)));
        } else {
            database.locks()
                    .shared(
                            session,
                            key,
                            () -> checkAge(session, reply, writer, generation, database.clockMinute(), generations));
        }
    }

    private void checkAge(
            Session session,
            Reply<List<Long>> reply,
            WriterRow writer,
            long generation,
            long minute,
            Iterator<Long> generations) {
        if (generation < minute - database.options().maxAgeMinutes()) {
            reply.fail(expired("a blob of minute " + generation + " is too old at minute " + minute));
        } else {
            lockGenerations(session, reply, writer, generations);
        }
    }

    private void stage(Session session, Reply<List<Long>> reply, WriterRow writer) {
        LogTables tables = database.tables();
        boolean isBuried =
                batches.stream().flatMap(batch -> batch.blobs().stream()).anyMatch(tables.tombstones::containsKey);
        if (isBuried && !database.has(LogDefect.COMMIT_IGNORES_TOMBSTONES)) {
            reply.fail(expired("a blob has a tombstone"));
            return;
        }
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < batches.size(); i++) {
            LogBatch batch = batches.get(i);
            long id = database.nextBatch(name);
            ids.add(id);
            BatchRow row = new BatchRow(
                    id, batch.topic(), new WriterNumber(writer.id(), first + i), batch.entries(), batch.blobs());
            session.change(later -> later.stage(row));
        }
        consume(session, reply, ids);
    }

    private void consume(Session session, Reply<List<Long>> reply, List<Long> ids) {
        if (consumed.isEmpty()) {
            reply.succeed(ids);
        } else {
            new CommittedPositions(database, consumed.get()).run(session, new Reply<>() {
                @Override
                public void succeed(List<Long> none) {
                    reply.succeed(ids);
                }

                @Override
                public void fail(RuntimeException failure) {
                    reply.fail(failure);
                }
            });
        }
    }

    private BlobExpiredException expired(String reason) {
        return new BlobExpiredException(cannotPublish(reason + ". Publish the records again."));
    }

    private String cannotPublish(String reason) {
        return "Cannot commit number " + first + " of publisher '" + name + "': " + reason;
    }
}
