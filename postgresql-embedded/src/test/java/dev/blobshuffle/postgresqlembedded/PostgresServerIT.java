package dev.blobshuffle.postgresqlembedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real servers: every release, every signal, and a failover. */
class PostgresServerIT {
    @ParameterizedTest
    @ValueSource(ints = {14, 15, 16, 17, 18})
    void everyReleaseServesAndLivesOnAfterAKill(int major) throws SQLException {
        try (PostgresServer server =
                PostgresServer.builder().release(PostgresRelease.of(major)).start()) {
            assertThat(number(server, "select current_setting('server_version_num')::int / 10000"))
                    .isEqualTo(major);
            execute(server, "create table kept (n int)");
            execute(server, "insert into kept values (7)");

            server.kill();
            assertThat(server.isRunning()).isFalse();
            assertThatThrownBy(() -> server.connect("postgres")).isInstanceOf(SQLException.class);
            server.restart();

            assertThat(number(server, "select n from kept")).isEqualTo(7);
            server.stop();
            assertThat(server.isRunning()).isFalse();
        }
    }

    @Test
    void aPausedServerKeepsItsConnectionsAndAnswersWhenItGoesOn() throws SQLException {
        try (PostgresServer server = PostgresServer.builder().start();
                Connection patient = server.connect("postgres");
                Connection hasty = server.connect("postgres")) {
            server.pause();
            hasty.setNetworkTimeout(Runnable::run, 300);
            assertThatThrownBy(() -> hasty.createStatement().execute("select 1"))
                    .isInstanceOf(SQLException.class);
            server.resume();

            assertThat(patient.createStatement().execute("select 1")).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 15, 16, 17, 18})
    void aSynchronousStandbyHasWhatThePrimaryAcknowledged(int major) throws SQLException {
        try (PostgresServer primary = PostgresServer.builder()
                        .release(PostgresRelease.of(major))
                        .start();
                PostgresServer standby = primary.startStandby("second")) {
            primary.requireStandby("second");
            execute(primary, "create table kept (n int)");
            for (int n = 0; n < 50; n++) {
                execute(primary, "insert into kept values (" + n + ")");
            }

            primary.kill();
            standby.promote();

            assertThat(number(standby, "select count(*) from kept")).isEqualTo(50);
            execute(standby, "insert into kept values (50)");
            try (PostgresServer third = standby.startStandby("third")) {
                standby.requireStandby("third");
                execute(standby, "insert into kept values (51)");
                assertThat(number(third, "select count(*) from kept")).isEqualTo(52);
            }
        }
    }

    /** Without its synchronous standby, a primary acknowledges nothing. */
    @Test
    void aCommitWaitsForARequiredStandby() throws SQLException {
        try (PostgresServer primary = PostgresServer.builder().start();
                PostgresServer standby = primary.startStandby("second")) {
            primary.requireStandby("second");
            execute(primary, "create table kept (n int)");
            standby.pause();

            try (Connection connection = primary.connect("postgres");
                    Statement statement = connection.createStatement()) {
                connection.setNetworkTimeout(Runnable::run, 500);
                assertThatThrownBy(() -> statement.execute("insert into kept values (1)"))
                        .isInstanceOf(SQLException.class);
            }
            standby.resume();
        }
    }

    @ParameterizedTest
    @MethodSource("installed")
    void anInstalledReleaseServes(PostgresRelease release) throws SQLException {
        try (PostgresServer server = PostgresServer.builder().release(release).start()) {
            assertThat(number(server, "select current_setting('server_version_num')::int / 10000"))
                    .isEqualTo(release.major());
        }
    }

    /** At least one: .ci/install-servers installs the system's package. */
    static Stream<PostgresRelease> installed() {
        List<PostgresRelease> found = PostgresRelease.installed();
        assertThat(found).as("run .ci/install-servers postgresql").isNotEmpty();
        return found.stream();
    }

    @Test
    void theSharedServerIsOneAndIsNotClosed() throws SQLException {
        try (PostgresServer server = PostgresServer.shared(PostgresRelease.shipped())) {
            execute(server, "create database for_the_next");
        }

        PostgresServer again = PostgresServer.shared(PostgresRelease.shipped());

        assertThat(number(again, "select count(*) from pg_database where datname = 'for_the_next'"))
                .isEqualTo(1);
    }

    @Test
    void anUnknownReleaseIsNamed() {
        assertThatThrownBy(() -> PostgresRelease.of(9)).hasMessageContaining("PostgreSQL 9");
    }

    @Test
    void aServerThatCannotStartSaysWhy() {
        assertThatThrownBy(() -> PostgresServer.builder()
                        .setting("shared_buffers", "1kB")
                        .start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("shared_buffers");
    }

    private static void execute(PostgresServer server, String sql) throws SQLException {
        try (Connection connection = server.connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(PostgresServer server, String query) throws SQLException {
        try (Connection connection = server.connect("postgres");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
