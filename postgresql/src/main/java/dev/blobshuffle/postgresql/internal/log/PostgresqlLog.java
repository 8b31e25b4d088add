package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.internal.metrics.Answers;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.BatchOrigin;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.Instances;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.Retention;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.Topics;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Groups;
import dev.blobshuffle.postgresql.internal.connection.ConnectionPool;
import dev.blobshuffle.postgresql.internal.log.Database.Repeat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;

/** The commit log in a schema of a PostgreSQL database. Thread-safe. */
final class PostgresqlLog implements CommitLog {
    private final UUID id;
    private final Database database;
    private final LentConnections lent;
    private final HintListener listener;
    private final LogReader reader;
    private final PostgresqlTopics topics;
    private final Groups groups;
    private final Retention retention;
    private final Instances instances;

    /** A log over a pool, which it closes. */
    PostgresqlLog(LogInfo info, ConnectionPool pool, Time time) {
        this.id = info.id();
        this.database = new Database(pool, time);
        this.lent = new LentConnections(pool.another(), time);
        this.listener = new HintListener(pool, time);
        this.reader = new LogReader(pool.uri());
        this.topics = new PostgresqlTopics(database);
        this.groups = new PostgresqlGroups(database, topics);
        this.retention = new PostgresqlRetention(database, info);
        this.instances = new PostgresqlInstances(database);
    }

    @Override
    public UUID id() {
        return id;
    }

    @Override
    public CompletionStage<Writer> open(String name) {
        return PostgresqlWriter.open(database, name)
                .thenApply(opened -> new PostgresqlWriter(database, lent, name, opened));
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
        return database.call(
                "sequence topic " + topic,
                Repeat.ONCE,
                connection -> FunctionCall.of(connection, database.schema(), "sequence_topic", topic)
                        .number());
    }

    @Override
    public CompletionStage<List<TopicState>> look(Set<Integer> topics) {
        int[] numbers = topics.stream().mapToInt(Integer::intValue).toArray();
        return database.call(
                "look at topics",
                Repeat.ONCE,
                connection -> FunctionCall.of(connection, database.schema(), "look", numbers)
                        .rows(row -> new TopicState(
                                row.getInt("topic_id"),
                                row.getLong("log_start"),
                                row.getLong("next_seq"),
                                row.getBoolean("is_staged"))));
    }

    @Override
    public CompletionStage<List<SequencedBatch>> read(ReadRequest request) {
        return database.call(
                "read topic " + request.topic(), Repeat.ONCE, connection -> reader.read(connection, request));
    }

    @Override
    public CompletionStage<List<BatchOrigin>> origins(Set<Long> ids) {
        long[] numbers = ids.stream().mapToLong(Long::longValue).toArray();
        return database.call(
                "find the writers of batches",
                Repeat.ONCE,
                connection -> FunctionCall.of(connection, database.schema(), "batch_origins", numbers)
                        .rows(row -> new BatchOrigin(
                                row.getLong("id"),
                                Optional.ofNullable(row.getString("writer")),
                                row.getLong("bytes"),
                                row.getLong("latest"))));
    }

    @Override
    public Hints hints(IntConsumer topic) {
        return listener.subscribe(topic);
    }

    @Override
    public Answers answers() {
        return database.answers();
    }

    @Override
    public void close() {
        listener.close();
        lent.close();
        database.close();
    }

    @Override
    public String toString() {
        return "PostgresqlLog[" + database.pool().uri() + "]";
    }
}
