package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Schemas from nothing to the newest version, and the rights in them. */
class MigrationsIT extends LogSchemaFixture {
    @Test
    void applyingAgainChangesNothing() throws SQLException {
        Migrations migrations = new Migrations(new SchemaName(log.name));
        String id = "select log_id::text from log_info()";
        String before = client.value(id);
        Connection owner = log.owner().connection();

        migrations.apply(owner);

        assertThat(owner.getAutoCommit()).isTrue();
        assertThat(migrations.version(owner)).hasValue(Migrations.needed());
        assertThat(client.<String>value(id)).isEqualTo(before);
        assertThat(client.<Integer>value("select version from log_info()")).isEqualTo(Migrations.needed());
        assertThat(client.<String>value("select channel from log_info()")).isEqualTo(log.name);
    }

    @Test
    void manyInstancesMayStartAtOnce() throws Exception {
        PostgresServer server = PostgresServer.shared(release);
        SchemaName name = new SchemaName("at once " + log.name);
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            running.add(CompletableFuture.runAsync(() -> {
                try (Connection connection = server.connect("postgres")) {
                    new Migrations(name).apply(connection);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        for (CompletableFuture<Void> each : running) {
            each.get(60, TimeUnit.SECONDS);
        }
        log.owner().execute("drop schema " + name.quoted() + " cascade");
    }

    /** Bodies of functions are read by the settings of the session that makes or calls them. */
    @Test
    void aSessionInWhichBackslashesEscapeCreatesTheSchema() throws SQLException {
        SchemaName name = new SchemaName("escaping " + log.name);
        log.owner().execute("set standard_conforming_strings = off");
        try {
            new Migrations(name).apply(log.owner().connection());
        } finally {
            log.owner().execute("reset standard_conforming_strings");
        }
        log.owner().execute("drop schema " + name.quoted() + " cascade");
    }

    @Test
    void aNewerSchemaIsRefused() throws SQLException {
        log.owner().execute("insert into migration values (999, 'v999', 'x')");

        assertThatThrownBy(() -> new Migrations(new SchemaName(log.name))
                        .apply(log.owner().connection()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("999")
                .hasMessageContaining("Update this library");
    }

    @Test
    void aMigrationThatHasChangedIsRefused() throws SQLException {
        Migration changed = new Migration(1, "v001", "select 1");

        assertThatThrownBy(() -> new Migrations(new SchemaName(log.name), List.of(changed, new Migration(99, "", "")))
                        .apply(log.owner().connection()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("v001");
    }

    @Test
    void aLaterMigrationIsAppliedAloneAndKeepsTheLog() throws SQLException {
        String id = "select log_id::text from log_info()";
        String before = client.value(id);
        List<Migration> both = new ArrayList<>(Migrations.all());
        both.add(new Migration(Migrations.needed() + 1, "later", "alter table topic add column owner text"));
        Connection owner = log.owner().connection();

        Migrations later = new Migrations(new SchemaName(log.name), both);
        later.apply(owner);
        later.apply(owner);

        assertThat(later.version(owner)).hasValue(Migrations.needed() + 1);
        assertThat(client.<String>value(id)).isEqualTo(before);
        assertThat(log.owner().<Long>value("select count(owner) from topic")).isZero();
    }

    @Test
    void aMigrationThatFailsLeavesTheVersionBefore() throws SQLException {
        SchemaName name = new SchemaName("failing " + log.name);
        Migrations broken = new Migrations(name, List.of(new Migration(1, "one", "create table a (); select 1/0")));
        Connection owner = log.owner().connection();

        assertThatThrownBy(() -> broken.apply(owner)).isInstanceOf(SQLException.class);

        assertThat(owner.getAutoCommit()).isTrue();
        assertThat(log.owner().<Long>value("select count(*) from pg_namespace where nspname = ?", name.text()))
                .isZero();
    }

    /** The rollback fails too, for another reason. */
    @Test
    void aMigrationWhoseSessionEndsSaysWhy() throws SQLException {
        SchemaName name = new SchemaName("ended " + log.name);
        Migrations ending =
                new Migrations(name, List.of(new Migration(1, "one", "select pg_terminate_backend(pg_backend_pid())")));
        try (Connection owner = PostgresServer.shared(release).connect("postgres")) {
            assertThatThrownBy(() -> ending.apply(owner))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57P01"));
        }
    }

    @Test
    void theVersionOfNoLogIsEmpty() throws SQLException {
        assertThat(new Migrations(new SchemaName("nothing here"))
                        .version(log.owner().connection()))
                .isEmpty();
    }

    @Test
    void aRoleThatDoesNotExistIsRefused() {
        assertThatThrownBy(() -> new Migrations(new SchemaName(log.name))
                        .grant(log.owner().connection(), ClientRole.of("nobody here")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("nobody here");
    }

    @Test
    void clientsCannotTouchTablesSequencesOrInternalFunctions() throws SQLException {
        List<String> tables = log.owner()
                .column(
                        "select relname::text from pg_class where relkind = 'r' and relnamespace = ?::regnamespace",
                        log.quoted());
        assertThat(tables).contains("batch", "inbox", "client_role", "migration");
        for (String table : tables) {
            assertFails("42501", () -> client.rows("select * from " + table));
            assertFails("42501", () -> client.execute("delete from " + table));
        }
        assertFails("42501", () -> client.execute("insert into client_role values ('x')"));
        assertFails("42501", () -> client.execute("select nextval('batch_id_seq')"));
        assertFails("42501", () -> client.execute("create table mine (n int)"));
        for (String internal : List.of(
                "log_clock()",
                "lock_class('x')",
                "topics_changed()",
                "remove_batches('{1}')",
                "trim_staged(1, 1)",
                "move_positions(null, null, null, null, null, null, null)",
                "need_no_members('g')")) {
            assertFails("42501", () -> client.execute("select " + internal));
        }
    }

    @Test
    void eachFunctionOfClientsHasAFixedPathAndTheOwnersRights() throws SQLException {
        assertThat(log.owner()
                        .<String>column(
                                "select proname::text from pg_proc where pronamespace = ?::regnamespace"
                                        + " and has_function_privilege(?, oid, 'execute')"
                                        + " and (not prosecdef or proconfig is null"
                                        + " or not exists (select from unnest(proconfig) c"
                                        + " where c like 'search_path=%, pg_temp')"
                                        + " or not proconfig @> '{enable_seqscan=off,jit=off}')",
                                log.quoted(), log.clientRole))
                .isEmpty();
        assertThat(log.owner()
                        .<String>column(
                                "select proname::text from pg_proc where pronamespace = ?::regnamespace"
                                        + " and exists (select from aclexplode(coalesce(proacl,"
                                        + " acldefault('f', proowner))) a where a.grantee = 0)",
                                log.quoted()))
                .as("open to everybody")
                .isEmpty();
    }

    /** Tenants share only a database. */
    @Test
    void anotherTenantsClientIsRefused() throws SQLException {
        try (LogSchema other = LogSchema.create(release)) {
            Session stranger = other.stranger();

            assertFails("42501", () -> stranger.rows("select * from " + log.quoted() + ".log_info()"));
            assertFails("42501", () -> stranger.rows("select * from " + log.quoted() + ".batch"));
        }
    }

    /** Locks of tenants have different keys. */
    @Test
    void tenantsDoNotWaitForEachOther() throws SQLException {
        try (LogSchema other = LogSchema.create(release)) {
            client.topic("t");
            Session neighbour = other.client();
            neighbour.topic("t");
            client.writer("w");
            neighbour.writer("w");
            client.begin();
            client.publish(1, 1, 0, 1);
            client.execute("select trim_topics()");
            neighbour.execute("set statement_timeout = '5s'");

            assertThat(neighbour.publish(1, 1, 0, 1).status()).isEqualTo("OK");
            assertThat(neighbour.<Integer>value("select trim_topics()")).isZero();
            assertThat(neighbour.<Long>value("select sequence_topic(1)")).isEqualTo(1);
            client.rollback();
        }
    }

    /** Objects in a client's own schemas do not replace those that functions use. */
    @Test
    void aClientCannotTakeOverAFunctionsNames() throws SQLException {
        Session sly = log.stranger();
        sly.execute("create temp table topic (topic_id int, name text, deleted_at timestamptz)");
        sly.execute("insert into topic values (1, 'forged', null)");
        sly.execute("create function pg_temp.log_clock() returns timestamptz language sql as 'select now()'");
        sly.execute("set search_path to pg_temp, " + log.quoted());
        client.topic("real");

        assertThat(sly.<String>column("select name from find_topics(null)")).containsExactly("real");
    }

    @Test
    void namesThatPostgresqlWouldCutAreRefused() {
        assertThatThrownBy(() -> new SchemaName("é".repeat(32))).isInstanceOf(InvalidSettingsException.class);
        assertThatThrownBy(() -> new SchemaName(" ")).isInstanceOf(InvalidSettingsException.class);
        assertThat(new SchemaName("é".repeat(31)).quoted()).hasSize(33);
    }
}
