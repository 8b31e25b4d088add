package dev.blobshuffle.postgresqlembedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Real servers: the tested releases, every signal, and a failover. */
class PostgresServerIT {
    @ParameterizedTest
    @MethodSource("dev.blobshuffle.postgresqlembedded.PostgresRelease#tested")
    void aReleaseServesAndLivesOnAfterAKill(PostgresRelease release) throws SQLException {
        try (PostgresServer server = PostgresServer.builder().release(release).start()) {
            assertThat(version(server)).isEqualTo(release.major());
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
    @MethodSource("dev.blobshuffle.postgresqlembedded.PostgresRelease#tested")
    void aSynchronousStandbyHasWhatThePrimaryAcknowledged(PostgresRelease release) throws SQLException {
        try (PostgresServer primary = PostgresServer.builder().release(release).start();
                PostgresServer standby = primary.startStandby("second")) {
            primary.requireStandby("second");
            execute(primary, "create table kept (n int)");
            try (Connection connection = primary.connect("postgres");
                    Statement statement = connection.createStatement()) {
                for (int n = 0; n < 50; n++) {
                    statement.execute("insert into kept values (" + n + ")");
                }
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

    /** The releases of the system's packages, which other builds than ours unpack. */
    @Test
    void installedReleasesServe() throws SQLException {
        List<PostgresRelease> installed = PostgresRelease.installed();
        assumeFalse(
                installed.isEmpty(),
                "The system has no PostgreSQL: /usr/lib/postgresql is empty. Run .ci/install-servers postgresql.");
        for (PostgresRelease release : installed) {
            try (PostgresServer server =
                    PostgresServer.builder().release(release).start()) {
                assertThat(version(server)).isEqualTo(release.major());
            }
        }
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

    private static long version(PostgresServer server) throws SQLException {
        return number(server, "select current_setting('server_version_num')::int / 10000");
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
