package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.testkit.internal.log.LockTable.Key;
import dev.blobshuffle.testkit.internal.log.LockTable.Kind;
import dev.blobshuffle.testkit.internal.log.LogTables.Place;
import dev.blobshuffle.testkit.internal.log.LogTables.TopicRow;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * Gives the staged batches of a topic their positions: the oldest ones, under the topic's lock.
 * Guarded by the database.
 */
record Sequencing(MemoryDatabase database, int number) implements Statement<OptionalLong> {
    @Override
    public void run(Session session, Reply<OptionalLong> reply) {
        if (database.tables().topic(number).isEmpty()) {
            reply.succeed(OptionalLong.of(0));
            return;
        }
        Key key = new Key(Kind.SEQUENCE, number);
        if (database.has(LogDefect.SEQUENCE_DRAWN_BEFORE_LOCK)) {
            long first = topic().next;
            int count = staged().size();
            topic().next += count;
            session.step(
                    LogCall.SEQUENCE,
                    () -> database.locks().exclusive(session, key, () -> move(session, reply, first, count)));
        } else if (database.locks().tryExclusive(session, key)) {
            session.step(LogCall.SEQUENCE, () -> {
                List<Long> staged = staged();
                long first = topic().next;
                session.change(
                        tables -> MemoryDatabase.required(tables.topics.get(number)).next = first + staged.size());
                move(session, reply, first, staged.size());
            });
        } else {
            reply.succeed(OptionalLong.empty());
        }
    }

    private TopicRow topic() {
        return MemoryDatabase.required(database.tables().topics.get(number));
    }

    private List<Long> staged() {
        boolean isUnlimited = database.has(LogDefect.SEQUENCES_WITHOUT_LIMIT);
        return topic().inbox.stream()
                .limit(isUnlimited ? Long.MAX_VALUE : database.options().sequencingLimit())
                .toList();
    }

    private void move(Session session, Reply<OptionalLong> reply, long first, int count) {
        List<Long> ids = topic().inbox.stream().limit(count).toList();
        session.change(tables -> {
            TopicRow topic = MemoryDatabase.required(tables.topics.get(number));
            long now = Math.max(database.clockMillis(), topic.latestMillis());
            LongStream.range(0, ids.size()).forEach(i -> topic.order.put(first + i, new Place(ids.get((int) i), now)));
            ids.forEach(topic.inbox::remove);
        });
        if (!ids.isEmpty()) {
            session.afterCommit(() -> database.hint(number));
        }
        Duration work = database.options().rowTime().multipliedBy(ids.size());
        session.work(work, () -> reply.succeed(OptionalLong.of(ids.size())));
    }
}
