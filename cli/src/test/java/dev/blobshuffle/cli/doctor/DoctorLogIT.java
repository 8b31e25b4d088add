package dev.blobshuffle.cli.doctor;

import static dev.blobshuffle.cli.messaging.LogDatabase.CLIENT;
import static dev.blobshuffle.cli.messaging.LogDatabase.OWNER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.RefusingPort;
import dev.blobshuffle.cli.messaging.LogDatabase;
import dev.blobshuffle.cli.messaging.LogDatabase.Outcome;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the doctor on a real database that has one defect per test. */
class DoctorLogIT {
    /** Makes a session publish its statistics at once. Otherwise it publishes them with a delay. */
    private static final String STATISTICS = "select pg_stat_force_next_flush()";

    @TempDir
    private static Path directory;

    private static LogDatabase database;

    @BeforeAll
    static void start() throws Exception {
        database = LogDatabase.over(
                PostgresServer.builder()
                        .setting("fsync", "on")
                        .setting("full_page_writes", "on")
                        .start(),
                directory);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void setUp() throws Exception {
        database.inside("drop schema if exists blobshuffle cascade");
        database.setUp();
    }

    private static Outcome doctor(String uri) {
        return LogDatabase.command("doctor", "--log", uri);
    }

    @Test
    void aLogOfOneServerIsSoundButForTheLossOfItsDisk() {
        Outcome outcome = doctor(database.uri(CLIENT));
        assertThat(outcome.status()).as(outcome.toString()).isZero();
        assertThat(outcome.out())
                .contains("ok      log      server: PostgreSQL", "pooler: none", "clock is that of this machine")
                .contains("ok      log      schema: the log in schema blobshuffle has version")
                .contains("and has no table", "connections are in use")
                .contains("WARNING log      replication: no standby has the log")
                .contains("0 errors, 1 warning.")
                .doesNotContain("store");
    }

    @Test
    void aRoleWithMoreThanTheFunctionsIsWarnedOf() throws Exception {
        assertThat(doctor(database.uri(OWNER)).out()).contains("the role owns the log");
        database.inside("grant select on blobshuffle.batch to app");
        assertThat(doctor(database.uri(CLIENT)).out())
                .contains("WARNING log      privileges: the role has rights on 1");
        database.inside("revoke all on blobshuffle.batch from app", "grant usage on schema blobshuffle to public");
        assertThat(doctor(database.uri(CLIENT)).out()).contains("every role of the database may use schema");
    }

    @Test
    void aRoleWithLessThanTheFunctionsIsAnError() throws Exception {
        database.inside("revoke execute on function blobshuffle.trim_topics() from app");
        Outcome outcome = doctor(database.uri(CLIENT));
        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.out()).contains("may not call 1 of the log's", "setup --client-role ROLE --execute");
        database.inside("revoke usage on schema blobshuffle from app");
        assertThat(doctor(database.uri(CLIENT)).out()).contains("this role may not use schema blobshuffle");
    }

    @Test
    void aRoleOfSomeUsesIsInOrder() throws Exception {
        Outcome setup =
                database.run(OWNER, "setup", "--client-role", CLIENT, "--grant", "publish,subscribe", "--execute");
        assertThat(setup.status()).isZero();
        assertThat(doctor(database.uri(CLIENT)).out())
                .contains("ok      log      privileges: the role may publish, subscribe by the log's functions");
        database.inside("revoke execute on function blobshuffle.look(int[]) from app");
        assertThat(doctor(database.uri(CLIENT)).out()).contains("ERROR   log      privileges: the role may not call");
    }

    @Test
    void aMissingOrOtherVersionIsAnError() throws Exception {
        assertThat(doctor(database.uri(CLIENT, "schema=other")).out()).contains("ERROR   log      schema: there is no");
        database.inside("update blobshuffle.migration set version = 0");
        assertThat(doctor(database.uri(CLIENT)).out()).contains("has version 0, and this library needs");
        database.inside("insert into blobshuffle.migration values (999, 'later', 'x')");
        assertThat(doctor(database.uri(CLIENT)).out()).contains("has version 999", "Upgrade the application.");
    }

    @Test
    void aStandbyThatIsMissingIsAnErrorForThoseWhoMaySeeIt() throws Exception {
        database.admin("grant pg_read_all_stats to app");
        database.change("synchronous_standby_names", "other");
        try {
            assertThat(doctor(database.uri(CLIENT)).out()).contains("no synchronous standby is connected");
        } finally {
            database.change("synchronous_standby_names", "");
            database.admin("revoke pg_read_all_stats from app");
        }
    }

    @Test
    void deadRowsThatNobodyRemovesAreAWarning() throws Exception {
        database.inside(
                "alter table blobshuffle.inbox set (autovacuum_enabled = false)",
                "insert into blobshuffle.inbox select 1, n from generate_series(1, 100100) n",
                "delete from blobshuffle.inbox",
                STATISTICS);
        assertThat(doctor(database.uri(CLIENT)).out())
                .contains("WARNING log      bloat: table inbox has about 100100 dead rows", "autovacuum");
        database.inside("vacuum blobshuffle.inbox", STATISTICS);
        assertThat(doctor(database.uri(CLIENT)).out()).contains("ok      log      bloat: about");
    }

    @Test
    void batchesThatNobodyPutsInOrderAreAWarning() throws Exception {
        database.inside("insert into blobshuffle.inbox select 1, n from generate_series(1, 100100) n", STATISTICS);
        assertThat(doctor(database.uri(CLIENT)).out())
                .contains("WARNING log      inbox: about 100100 batches wait", "Start any instance");
    }

    @Test
    void aReplicationSlotWithoutAReaderIsAWarning() throws Exception {
        database.admin("select pg_create_physical_replication_slot('forgotten', true)");
        try {
            assertThat(doctor(database.uri(CLIENT)).out())
                    .contains("WARNING log      snapshots: replication slot forgotten is not in use");
        } finally {
            database.admin("select pg_drop_replication_slot('forgotten')");
        }
    }

    @Test
    void aServerThatACrashDestroysIsAnError() throws Exception {
        try (LogDatabase weak = LogDatabase.shared(Files.createDirectory(directory.resolve("weak")))) {
            weak.setUp();
            Outcome outcome = doctor(weak.uri(CLIENT));
            assertThat(outcome.status()).isEqualTo(1);
            assertThat(outcome.out()).contains("ERROR   log      durability: the server runs with fsync=off");
        }
    }

    @Test
    void aPoolerThatIsNotThereIsAHint() {
        assertThat(doctor(database.uri(CLIENT, "pooler=transaction")).out())
                .contains("HINT    log      pooler: none is in front", "Remove pooler=transaction");
    }

    @Test
    void aDatabaseThatIsNotThereIsAnError() throws IOException {
        try (RefusingPort port = new RefusingPort()) {
            Outcome outcome = doctor("postgresql://127.0.0.1:" + port.number() + "/logs");
            assertThat(outcome.status()).isEqualTo(1);
            assertThat(outcome.out())
                    .contains("ERROR   log      open: Cannot open the log", "no connection to a primary");
        }
        assertThat(doctor("postgresql://user:guess@127.0.0.1/logs").out())
                .contains("it holds a user")
                .doesNotContain("guess");
    }
}
