package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.log.internal.Instances;
import dev.blobshuffle.postgresql.internal.log.Database.Repeat;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The announcements, in rows of the schema. Thread-safe. */
final class PostgresqlInstances implements Instances {
    private final Database database;

    PostgresqlInstances(Database database) {
        this.database = database;
    }

    @Override
    public CompletionStage<List<Announcement>> announce(long id, String text, Duration validFor) {
        if (text.isEmpty() || text.length() > MAX_TEXT) {
            throw new IllegalArgumentException("Cannot announce an instance with " + text.length()
                    + " characters: must be 1 to " + MAX_TEXT + ".");
        }
        return database.call(
                "announce this instance",
                Repeat.ONCE,
                connection -> read(connection, "announce_instance", id, text, validFor));
    }

    @Override
    public CompletionStage<List<Announcement>> find() {
        return database.call("find instances", Repeat.ONCE, connection -> read(connection, "find_instances"));
    }

    @Override
    public CompletionStage<Void> withdraw(long id) {
        return database.run(
                "withdraw this instance",
                Repeat.ONCE,
                connection -> FunctionCall.of(connection, database.schema(), "withdraw_instance", id)
                        .run());
    }

    private List<Announcement> read(Connection connection, String function, @Nullable Object... arguments)
            throws SQLException {
        return FunctionCall.of(connection, database.schema(), function, arguments)
                .rows(row -> new Announcement(row.getLong("id"), row.getString("announcement")));
    }
}
