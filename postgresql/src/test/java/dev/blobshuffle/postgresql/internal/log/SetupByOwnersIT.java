package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.postgresql.internal.checkup.LogCheckup;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import dev.blobshuffle.postgresql.internal.schema.ClientRole;
import dev.blobshuffle.postgresql.internal.schema.Migrations;
import dev.blobshuffle.postgresql.internal.schema.SchemaSetup;
import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Setup and checks by a role that owns its log in a database that others use too. */
class SetupByOwnersIT {
    private static final String DATABASE = "shared_with_others";
    private static final String OWNER = "owner_among_others";
    private static final String CLIENT = "client_among_others";

    private final PostgresServer server = PostgresServer.shared(PostgresRelease.shipped());

    @TempDir
    private Path directory;

    @BeforeEach
    void createDatabase() throws SQLException {
        run("postgres", "create role " + OWNER + " login password 'secret'");
        run("postgres", "create role " + CLIENT + " login password 'secret'");
        run("postgres", "create database " + DATABASE + " owner " + OWNER);
    }

    @AfterEach
    void dropDatabase() throws SQLException {
        run("postgres", "drop database " + DATABASE + " with (force)");
        run("postgres", "drop role " + OWNER);
        run("postgres", "drop role " + CLIENT);
    }

    /** Their types fit better than those of PostgreSQL's own. */
    @Test
    void functionsOfOthersAreNotCalled() throws Exception {
        trap("hashtext(varchar)", "int");
        trap("to_regclass(varchar)", "regclass");
        trap("same(name, varchar)", "boolean");
        run(DATABASE, "create operator public.= (leftarg = name, rightarg = varchar, function = public.same)");

        try (SchemaSetup setup = setup(OWNER);
                SystemTime time = new SystemTime()) {
            assertThat(setup.plan().steps()).isNotEmpty();
            setup.execute();
            assertThat(setup.plan().steps()).isEmpty();
            assertThat(new LogCheckup(uri(CLIENT), Migrations.needed(), time).run())
                    .noneMatch(finding -> finding.what().contains("refused the question"));
        }
    }

    private void trap(String signature, String type) throws SQLException {
        run(
                DATABASE,
                "create function public." + signature + " returns " + type
                        + " language plpgsql as $$ begin raise exception 'called'; end $$");
    }

    /** Such a role may become the owner, but has not its rights. */
    @Test
    void aRoleThatInheritsNoRightsOfTheOwnerIsToldWhoToBe() throws Exception {
        try (SchemaSetup setup = setup(OWNER)) {
            setup.execute();
        }
        run(DATABASE, "alter role " + CLIENT + " noinherit");
        run(DATABASE, "grant " + OWNER + " to " + CLIENT);

        try (SchemaSetup setup = setup(CLIENT)) {
            assertThatThrownBy(setup::plan)
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("Log in as " + OWNER);
        }
    }

    @Test
    void anEventTriggerThatRefusesIsNamed() throws Exception {
        run(
                DATABASE,
                "create function public.refuse() returns event_trigger language plpgsql as $$ begin"
                        + " raise exception 'no tables here' using errcode = '42501'; end $$");
        run(DATABASE, "create event trigger refuse on ddl_command_start execute function public.refuse()");

        try (SchemaSetup setup = setup(OWNER)) {
            assertThatThrownBy(setup::execute)
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("no tables here")
                    .hasMessageContaining("event triggers");
        }
    }

    private SchemaSetup setup(String user) throws IOException {
        return SchemaSetup.open(uri(user), Optional.of(ClientRole.of(user.equals(OWNER) ? CLIENT : OWNER)));
    }

    private PostgresqlUri uri(String user) throws IOException {
        Path credentials = directory.resolve(user);
        PrivateFiles.write(credentials, "user=" + user + "\npassword=secret\n");
        return PostgresqlUri.parse("postgresql://127.0.0.1:" + server.port() + "/" + DATABASE
                + "?sslmode=disable&credentials=" + credentials);
    }

    private void run(String database, String sql) throws SQLException {
        try (Connection connection = server.connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
