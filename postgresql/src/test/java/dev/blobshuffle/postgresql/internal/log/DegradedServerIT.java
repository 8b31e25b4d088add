package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import dev.blobshuffle.testkit.internal.log.LogContract;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A server that answers but cannot serve: each refusal has a remedy, and work continues later. */
final class DegradedServerIT extends LogContract {
    private static final DatabaseTimeouts SHORT = new DatabaseTimeouts(
            Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));

    private static PostgresServer server;

    private TestLog tenant;

    @BeforeAll
    static void startServer() {
        server = PostgresServer.builder().start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected LogUnderTest create() {
        tenant = new TestLog(server);
        return tenant;
    }

    @Test
    void aServerThatTurnsReadOnlyIsNamedAndLosesNothing() {
        CommitLog log = tenant.connect(tenant.uri(server.port()), SHORT);
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "one"));
        server.change("default_transaction_read_only", "on");
        try {
            assertThatThrownBy(() -> commit(writer, 1, batch(topic, "two")))
                    .isInstanceOf(LogUnavailableException.class)
                    .hasMessageContaining("read-only");
            assertThat(log.answers().lastFailure()).hasValueSatisfying(failure -> {
                assertThat(failure.message()).contains("read-only");
                assertThat(failure.lasting()).as("until an answer").isPresent();
            });
            assertThatThrownBy(() -> tenant.connect(tenant.uri(server.port()), SHORT))
                    .isInstanceOf(LogUnavailableException.class)
                    .hasMessageContaining("read-only");
        } finally {
            server.change("default_transaction_read_only", "off");
        }
        commit(writer, 1, batch(topic, "two"));
        assertThat(log.answers().unanswered()).isZero();
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one", "two");
        log.close();
    }

    /** The server's message for a full disk, when a table must grow. */
    @Test
    void aFullDiskIsNamedAndLosesNothing() {
        CommitLog log = tenant.connect(tenant.uri(server.port()), SHORT);
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "one"));
        tenant.execute("create function " + tenant.name() + ".full_disk() returns trigger language plpgsql as $$"
                + " begin raise exception 'could not extend file: No space left on device' using errcode = '53100';"
                + " end $$");
        tenant.execute("create trigger full_disk before insert on " + tenant.name()
                + ".batch for each row execute function " + tenant.name() + ".full_disk()");
        assertThatThrownBy(() -> commit(writer, 1, batch(topic, "two")))
                .isInstanceOf(LogUnavailableException.class)
                .hasMessageContaining("disk is full. Free or add space");
        tenant.execute("drop trigger full_disk on " + tenant.name() + ".batch");
        commit(writer, 1, batch(topic, "two"));
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one", "two");
        log.close();
    }

    @Test
    void aStandbyAloneIsNamed() {
        try (PostgresServer standby = server.startStandby("standby")) {
            assertThatThrownBy(() -> tenant.connect(tenant.uri(standby.port()), SHORT))
                    .isInstanceOf(LogUnavailableException.class)
                    .hasMessageContaining("standby");
            tenant.connect(tenant.uri(standby.port(), server.port()), SHORT).close();
        }
    }

    @Test
    void aRoleThatLosesItsRightsIsNamedAndRecovers() {
        CommitLog log = tenant.connect(tenant.uri(server.port()), SHORT);
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        tenant.execute("revoke usage on schema " + tenant.name() + " from " + tenant.name());
        assertThatThrownBy(() -> commit(writer, 0, batch(topic, "one")))
                .isInstanceOf(LogUnavailableException.class)
                .hasMessageContaining("Grant");
        tenant.execute("grant usage on schema " + tenant.name() + " to " + tenant.name());
        commit(writer, 0, batch(topic, "one"));
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one");
        log.close();
    }

    @Test
    void aServerThatRestartsServesTheSameClient() {
        CommitLog log = tenant.connect(tenant.uri(server.port()), SHORT);
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "one"));
        server.stop();
        try {
            assertThatThrownBy(() -> commit(writer, 1, batch(topic, "two")))
                    .isInstanceOfAny(LogUnavailableException.class, OutcomeUnknownException.class);
        } finally {
            server.restart();
        }
        commitAsSoonAsPossible(writer, batch(topic, "two"));
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one", "two");
        log.close();
    }

    /** A client that failed to connect retries later than {@link #SHORT}. */
    private void commitAsSoonAsPossible(Writer writer, LogBatch batch) {
        await("a commit")
                .pollInSameThread()
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .ignoreExceptionsInstanceOf(LogUnavailableException.class)
                .until(() -> commit(writer, 1, batch), id -> true);
    }
}
