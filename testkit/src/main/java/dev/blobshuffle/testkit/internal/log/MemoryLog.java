package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.metrics.Answers;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.Instances;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.Retention;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.Topics;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Groups;
import dev.blobshuffle.testkit.internal.log.LockTable.Key;
import dev.blobshuffle.testkit.internal.log.LockTable.Kind;
import dev.blobshuffle.testkit.internal.log.LogTables.BatchRow;
import dev.blobshuffle.testkit.internal.log.LogTables.Place;
import dev.blobshuffle.testkit.internal.log.LogTables.TopicRow;
import dev.blobshuffle.testkit.internal.log.LogTables.WriterRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;

/**
 * A client of a {@link MemoryDatabase}: the commit log for simulations and unit tests. Thread-safe.
 */
public final class MemoryLog implements CommitLog {
    private final MemoryDatabase database;
    private final Connection connection;
    private final Topics topics;
    private final Groups groups;
    private final Retention retention;
    private final Instances instances;
    private final Answers answers;

    /** A log in a new database without faults, for unit tests. */
    public MemoryLog(Time time) {
        this(new MemoryDatabase(time), time);
    }

    /**
     * A client.
     *
     * @param time of the client's machine
     */
    public MemoryLog(MemoryDatabase database, Time time) {
        this.database = database;
        connection = new Connection(database, time);
        topics = new MemoryTopics(connection);
        groups = new MemoryGroups(connection);
        retention = new MemoryRetention(connection);
        instances = new MemoryInstances(connection);
        answers = new Answers(time::nanos);
    }

    /** Not counted, because simulations see each fault themselves. */
    @Override
    public Answers answers() {
        return answers;
    }

    @Override
    public UUID id() {
        return database.id();
    }

    @Override
    public CompletionStage<Writer> open(String name) {
        return this.<WriterRow>call(
                        LogCall.OPEN,
                        (session, reply) -> database.locks()
                                .exclusive(session, new Key(Kind.WRITER, name), () -> register(session, name, reply)))
                .thenApply(row -> new MemoryWriter(connection, name, row.epoch(), row.next()));
    }

    private void register(Session session, String name, Reply<WriterRow> reply) {
        LogTables tables = database.tables();
        WriterRow before = tables.writers.get(name);
        WriterRow row = before == null
                ? new WriterRow(tables.nextWriter++, name, 1, 0, new TreeMap<>(Map.of(1, 0L)))
                : before.reopened(database.has(LogDefect.NUMBERS_BEGIN_AGAIN) ? 0 : before.next());
        session.change(later -> later.writers.put(name, row));
        reply.succeed(row);
    }

    private <T> CompletionStage<T> call(LogCall kind, Statement<T> statement) {
        return connection.call(kind, statement);
    }

    @Override
    public Topics topics() {
        return topics;
    }

    @Override
    public Groups groups() {
        return groups;
    }

    @Override
    public Retention retention() {
        return retention;
    }

    @Override
    public Instances instances() {
        return instances;
    }

    @Override
    public CompletionStage<OptionalLong> sequence(int topic) {
        return call(LogCall.SEQUENCE, new Sequencing(database, topic));
    }

    @Override
    public CompletionStage<List<TopicState>> look(Set<Integer> numbers) {
        Set<Integer> asked = Set.copyOf(numbers);
        return connection.ask(
                LogCall.LOOK,
                () -> asked.stream()
                        .sorted()
                        .flatMap(number -> database.tables().topic(number).stream())
                        .map(topic ->
                                new TopicState(topic.topic.number(), topic.start, topic.next, !topic.inbox.isEmpty()))
                        .toList());
    }

    @Override
    public CompletionStage<List<SequencedBatch>> read(ReadRequest request) {
        return connection.ask(LogCall.READ, () -> batches(request));
    }

    private List<SequencedBatch> batches(ReadRequest request) {
        TopicRow topic = database.tables()
                .topic(request.topic())
                .orElseThrow(() -> new TopicAbsentException(
                        cannotRead(request, "it does not exist. Create it, or find its new number.")));
        if (request.from() > topic.next) {
            throw new LogWentBackException(
                    cannotRead(request, "it ends at " + topic.next + ". Find out why, and seek."));
        }
        request.last().ifPresent(bookmark -> check(request, topic, bookmark));
        if (request.from() < topic.start) {
            throw new PositionTrimmedException(
                    cannotRead(request, "it begins at " + topic.start + ". Seek, or set a reset policy."));
        }
        List<SequencedBatch> batches = new ArrayList<>();
        long bytes = 0;
        for (Map.Entry<Long, Place> place :
                topic.order.tailMap(request.from(), true).entrySet()) {
            if (batches.size() == request.maxBatches() || bytes >= request.maxBytes()) {
                break;
            }
            BatchRow row = MemoryDatabase.required(
                    database.tables().batches.get(place.getValue().id()));
            batches.add(new SequencedBatch(
                    place.getKey(), row.id(), place.getValue().committedMillis(), row.entries()));
            bytes += row.entries().length;
        }
        return batches;
    }

    private void check(ReadRequest request, TopicRow topic, Bookmark bookmark) {
        Place place = topic.order.get(bookmark.sequence());
        boolean isGone = place == null && bookmark.sequence() < topic.start;
        boolean isSame = place != null
                && place.id() == bookmark.id()
                && checksum(MemoryDatabase.required(database.tables().batches.get(place.id()))) == bookmark.checksum();
        if (!isGone && !isSame) {
            throw new LogWentBackException(cannotRead(
                    request,
                    "sequence " + bookmark.sequence() + " is not the batch that was read. Find out why, and seek."));
        }
    }

    private static int checksum(BatchRow row) {
        return Checksum.of(row.entries(), 0, row.entries().length);
    }

    private static String cannotRead(ReadRequest request, String reason) {
        return "Cannot read topic " + request.topic() + " from " + request.from() + ": " + reason;
    }

    @Override
    public Hints hints(IntConsumer topic) {
        IntConsumer listener = number -> {
            if (!connection.isClosed()) {
                topic.accept(number);
            }
        };
        database.listen(listener);
        return new Hints() {
            @Override
            public boolean areLive() {
                return true;
            }

            @Override
            public void close() {
                database.unlisten(listener);
            }
        };
    }

    @Override
    public void close() {
        connection.close();
    }
}
