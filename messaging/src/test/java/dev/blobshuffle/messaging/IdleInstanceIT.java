package dev.blobshuffle.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The load of an idle instance on a real database, by the database's own count. */
class IdleInstanceIT {
    private static final Duration WINDOW = Duration.ofSeconds(5); // The idle time to measure.
    private static final double MOST_PER_SECOND = 30;

    @TempDir
    Path directory;

    /** The number of transactions of a database so far, with the time of the count. */
    private record Load(long transactions, double seconds) {}

    @Test
    void anIdleSubscriberAsksAtMostThirtyTimesPerSecond() throws Exception {
        TestDatabase database = new TestDatabase(directory);
        try (Connection watching = database.connect();
                Messaging messaging = Messaging.open(database.settings(directory.resolve("store"), "a"))) {
            messaging.topics().create(Topic.named("idle").partitions(12));
            try (Subscriber<String, String> subscriber =
                    messaging.subscriber(Subscription.of("group", "idle"), Serde.string(), Serde.string())) {
                await("all partitions")
                        .pollInSameThread()
                        .atMost(Duration.ofMinutes(2))
                        .until(() -> subscriber.poll(Duration.ofMillis(100)).isEmpty()
                                && subscriber.assignment().size() == 12);
                Load before = load(watching, database.name);
                assertThat(subscriber.poll(WINDOW).count()).isZero();
                Load after = load(watching, database.name);

                double perSecond =
                        (after.transactions() - before.transactions()) / (after.seconds() - before.seconds());
                assertThat(perSecond).isBetween(0.1, MOST_PER_SECOND);
            }
        }
    }

    private static Load load(Connection connection, String database) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select xact_commit + xact_rollback,"
                        + " extract(epoch from clock_timestamp()) from pg_stat_database where datname = '" + database
                        + "'")) {
            assertThat(row.next()).isTrue();
            return new Load(row.getLong(1), row.getDouble(2));
        }
    }
}
