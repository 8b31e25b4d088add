package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.log.internal.LogName;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.Topics;
import dev.blobshuffle.postgresql.internal.log.Database.Repeat;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The topics, in rows of the schema. Thread-safe. */
final class PostgresqlTopics implements Topics {
    private static final Instant OLDEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant NEWEST = Instant.parse("9999-01-01T00:00:00Z");

    private final Database database;

    PostgresqlTopics(Database database) {
        this.database = database;
    }

    @Override
    public CompletionStage<Optional<LogTopic>> create(String name, int partitions, RetentionRule retention) {
        LogTopic wanted = new LogTopic(0, LogName.check("topic", name), partitions, retention);
        return database.call("create topic '" + name + "'", Repeat.NEVER, connection -> {
            OptionalLong number = function(
                            connection, "create_topic", name, partitions, kind(retention), millis(retention))
                    .number();
            return number.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            new LogTopic(Math.toIntExact(number.getAsLong()), wanted.name(), partitions, retention));
        });
    }

    @Override
    public CompletionStage<Optional<LogTopic>> find(String name) {
        return database.call(
                "find topic '" + name + "'",
                Repeat.ONCE,
                connection -> find(connection, name).stream().findFirst());
    }

    @Override
    public CompletionStage<List<LogTopic>> list() {
        return database.call("list the topics", Repeat.ONCE, this::all);
    }

    /** All topics, by name, on the connection of an open transaction. */
    List<LogTopic> all(Connection connection) throws SQLException {
        return function(connection, "find_topics", (Object) null).rows(PostgresqlTopics::topic);
    }

    private List<LogTopic> find(Connection connection, String name) throws SQLException {
        return function(connection, "find_topics", (Object) new String[] {name}).rows(PostgresqlTopics::topic);
    }

    @Override
    public CompletionStage<LogTopic> change(int topic, int partitions, RetentionRule retention) {
        return database.call("change topic " + topic, Repeat.ONCE, connection -> {
            function(connection, "change_topic", topic, partitions, kind(retention), millis(retention))
                    .run();
            return all(connection).stream()
                    .filter(each -> each.number() == topic)
                    .findFirst()
                    .orElseThrow(
                            () -> LogFailures.noTopic(topic, database.pool().uri()));
        });
    }

    @Override
    public CompletionStage<Boolean> delete(String name) {
        return database.call(
                "delete topic '" + name + "'",
                Repeat.NEVER,
                connection ->
                        function(connection, "delete_topic", name).number().isPresent());
    }

    @Override
    public CompletionStage<Map<Integer, Long>> sequencesAt(Map<Integer, Instant> times) {
        List<Integer> topics = List.copyOf(times.keySet());
        return database.call("find positions by time", Repeat.ONCE, connection -> {
            Map<Integer, Long> sequences = new HashMap<>();
            function(
                            connection,
                            "seek_time",
                            topics.stream().mapToInt(Integer::intValue).toArray(),
                            connection.createArrayOf(
                                    "timestamptz",
                                    topics.stream()
                                            .map(topic -> timestamp(times.getOrDefault(topic, Instant.MAX)))
                                            .toArray()))
                    .rows(row -> sequences.put(row.getInt("topic_id"), row.getLong("seq")));
            return sequences;
        });
    }

    /** A time as a {@code timestamptz}, whose years end before those of an {@link Instant}. */
    private static String timestamp(Instant time) {
        if (time.isBefore(OLDEST)) {
            return "-infinity";
        }
        return time.isBefore(NEWEST) ? time.toString() : "infinity";
    }

    private FunctionCall function(Connection connection, String name, @Nullable Object... arguments) {
        return FunctionCall.of(connection, database.schema(), name, arguments);
    }

    private static String kind(RetentionRule rule) {
        if (rule instanceof RetentionRule.For) {
            return "time";
        }
        return rule instanceof RetentionRule.UntilConsumed ? "consumed" : "forever";
    }

    private static @Nullable Long millis(RetentionRule rule) {
        if (rule instanceof RetentionRule.UntilConsumed consumed) {
            return consumed.abandoned()
                    .map(time -> Math.max(1, time.toMillis()))
                    .orElse(null);
        }
        return rule instanceof RetentionRule.For kept ? Math.max(1, kept.time().toMillis()) : null;
    }

    private static LogTopic topic(ResultSet row) throws SQLException {
        return new LogTopic(row.getInt("topic_id"), row.getString("name"), row.getInt("partitions"), rule(row));
    }

    private static RetentionRule rule(ResultSet row) throws SQLException {
        String kind = row.getString("retention");
        return switch (kind) {
            case "forever" -> new RetentionRule.Forever();
            case "consumed" -> new RetentionRule.UntilConsumed(abandoned(row.getLong("retention_millis")));
            case "time" -> new RetentionRule.For(Duration.ofMillis(row.getLong("retention_millis")));
            default -> throw new SQLException("The log has the unknown retention '" + kind + "'.");
        };
    }

    /** Null was read as 0. */
    private static Optional<Duration> abandoned(long millis) {
        return millis == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }
}
