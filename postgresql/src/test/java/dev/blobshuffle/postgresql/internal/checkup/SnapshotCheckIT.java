package dev.blobshuffle.postgresql.internal.checkup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Old snapshots on a real server; they count as old after a short time. */
class SnapshotCheckIT {
    /** Even a snapshot of this second, 0 s old, is too old. */
    private static final Duration NONE = Duration.ofSeconds(-1);

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.builder()
                .setting("max_prepared_transactions", "2")
                .start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static List<StoreFinding> check(Duration allowed) throws SQLException {
        try (Connection database = server.connect("postgres")) {
            return new SnapshotCheck(allowed).run(database);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aTransactionThatHoldsASnapshotIsNamed() throws Exception {
        try (Connection dump = server.connect("postgres")) {
            execute(dump, "set application_name = 'nightly dump'");
            dump.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            dump.setAutoCommit(false);
            execute(dump, "select count(*) from pg_class");

            assertThat(check(NONE)).singleElement().satisfies(finding -> {
                assertThat(finding.level()).isEqualTo(StoreFinding.Level.WARNING);
                assertThat(finding.toString()).contains("nightly dump", "has held one for 0 min");
            });
            assertThat(check(Duration.ofMinutes(10)))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.level()).isEqualTo(StoreFinding.Level.OK));
            dump.rollback();
        }
    }

    @Test
    void aPreparedTransactionIsNamed() throws Exception {
        try (Connection client = server.connect("postgres")) {
            execute(client, "create table prepared_work (x int)");
            execute(client, "begin");
            execute(client, "insert into prepared_work values (1)");
            execute(client, "prepare transaction 'forgotten'");

            assertThat(check(NONE))
                    .anySatisfy(finding ->
                            assertThat(finding.toString()).contains("prepared transaction forgotten has held one"));
            execute(client, "rollback prepared 'forgotten'");
        }
        assertThat(check(NONE))
                .noneSatisfy(finding -> assertThat(finding.toString()).contains("prepared transaction"));
    }
}
