package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Lease;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.log.internal.group.OwnedPartition;
import dev.blobshuffle.postgresql.internal.checkup.LogCheckup;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import dev.blobshuffle.postgresql.internal.schema.Migrations;
import dev.blobshuffle.testkit.internal.log.LogContract;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Access to a log, and the effect of a lack of connections. */
final class AccessIT extends LogContract {
    private static final DatabaseTimeouts SHORT = new DatabaseTimeouts(
            Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));

    @TempDir
    private Path directory;

    private TestLog tenant;

    @Override
    protected LogUnderTest create() {
        tenant = new TestLog();
        return tenant;
    }

    @Test
    void aWrongPasswordIsRefusedWithoutRepeatingIt() throws IOException {
        Path file = directory.resolve("wrong");
        PrivateFiles.write(file, "user=" + tenant.name() + "\npassword=hunter2\n");
        assertThatThrownBy(() -> open("&credentials=" + file))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("refused the password")
                .satisfies(e -> assertThat(trace(e)).doesNotContain("hunter2"));
    }

    @Test
    void aRoleWithoutRightsIsRefusedWithARemedy() throws IOException {
        tenant.execute("create role stranger login password 'hunter2'");
        try {
            Path file = directory.resolve("stranger");
            PrivateFiles.write(file, "user=stranger\npassword=hunter2\n");
            assertThatThrownBy(() -> open("&credentials=" + file))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("Grant");
        } finally {
            tenant.execute("drop role stranger");
        }
    }

    @Test
    void aClientHasNoRightsOnTables() throws SQLException {
        CommitLog log = connect();
        Writer writer = join(log.open("a"));
        try (LogTransaction transaction = join(writer.begin());
                Statement statement = transaction.unwrap(Connection.class).createStatement()) {
            assertThatThrownBy(() -> statement.execute("select * from " + tenant.name() + ".batch"))
                    .hasMessageContaining("permission denied");
        }
    }

    @Test
    void aClientThatMayNotCallOneFunctionKeepsTheOthers() {
        tenant.execute("revoke execute on function " + tenant.name() + ".delete_topic(text) from " + tenant.name());
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        commit(join(log.open("a")), 0, batch(topic, "one"));
        sequence(log, topic);

        assertThatThrownBy(() -> join(log.topics().delete("orders")))
                .hasMessageContaining("the role may not do this")
                .hasMessageContaining("Grant");
        assertThat(entries(log, topic, 0)).containsExactly("one");
    }

    /** Otherwise its reader would wait without a word. */
    @Test
    void aMemberWhoseRightsAreRevokedIsRefusedUntilItHasThemAgain() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Member member = new Member("g", new UUID(1, 2), new Zone("a"), Set.of(topic.number()));
        Lease joined = join(log.groups().renew(member, Set.of()));
        String usage = "usage on schema " + tenant.name();
        tenant.execute("revoke " + usage + " from " + tenant.name());

        assertThatThrownBy(() -> join(log.groups().renew(member, Set.of())))
                .hasMessageContaining("the role may not do this")
                .isInstanceOf(InvalidSettingsException.class);
        tenant.execute("grant " + usage + " to " + tenant.name());
        assertThat(join(log.groups().renew(member, Set.of())).owned()).isEqualTo(joined.owned());
    }

    @Test
    void aMissingDatabaseSchemaOrServerIsNamed() {
        String uri = tenant.uri(tenant.server().port());
        assertThatThrownBy(() -> tenant.connect(uri.replace("/postgres?", "/missing?"), SHORT))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("database does not exist");
        assertThatThrownBy(() -> tenant.connect(uri.replace("schema=" + tenant.name(), "schema=missing"), SHORT))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("schema");
        assertThatThrownBy(() -> tenant.connect(tenant.uri(1), SHORT))
                .isInstanceOf(LogUnavailableException.class)
                .hasMessageContaining("127.0.0.1:1");
    }

    @Test
    void aReadOnlyServerIsRefused() {
        tenant.execute("alter role " + tenant.name() + " set default_transaction_read_only = on");
        assertThatThrownBy(() -> tenant.connect(tenant.uri(tenant.server().port()), SHORT))
                .isInstanceOf(LogUnavailableException.class);
    }

    @Test
    void aServerWithoutAFreeConnectionIsNamedAndRecovers() {
        CommitLog first = connect();
        tenant.execute("alter role " + tenant.name() + " connection limit 1");
        assertThatThrownBy(() -> tenant.connect(tenant.uri(tenant.server().port()), SHORT))
                .isInstanceOf(LogUnavailableException.class)
                .hasMessageContaining("no free connection");
        LogTopic topic = topic(first, "orders", 1);
        commit(join(first.open("a")), 0, batch(topic, "one"));

        tenant.execute("alter role " + tenant.name() + " connection limit -1");
        sequence(connect(), topic);
        assertThat(entries(connect(), topic, 0)).containsExactly("one");
    }

    @Test
    void transactionsThatSleepDelayNobodyElse() {
        CommitLog log = open("&connections=2");
        LogTopic topic = topic(log, "orders", 1);
        Writer sleeper = join(log.open("sleeper"));
        Writer other = join(log.open("other"));
        List<LogTransaction> asleep = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            asleep.add(join(sleeper.begin()));
            tenant.insert(asleep.get(i), "row " + i);
        }
        assertThatThrownBy(() -> join(sleeper.begin()))
                .isInstanceOf(LogUnavailableException.class)
                .hasMessageContaining("connections are in use");

        // If they shared connections, the first of these would be refused.
        for (int number = 0; number < 10; number++) {
            commit(other, number, batch(topic, "" + number));
            sequence(log, topic);
        }
        assertThat(entries(log, topic, 0)).hasSize(10);

        asleep.get(0).commit(0, List.of(batch(topic, "slow")), Optional.empty());
        asleep.get(1).close();
        assertThat(tenant.rows()).containsExactly("row 0");
        log.close();
    }

    @Test
    void aCallerCannotEndATransactionBehindTheLogsBack() throws SQLException {
        CommitLog log = connect();
        Writer writer = join(log.open("a"));
        LogTransaction transaction = join(writer.begin());
        Connection lent = transaction.unwrap(Connection.class);
        assertThatThrownBy(lent::commit).isInstanceOf(SQLException.class).hasMessageContaining("belongs to");
        assertThatThrownBy(lent::rollback).isInstanceOf(SQLException.class);
        assertThatThrownBy(lent::close).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> lent.setAutoCommit(true)).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> transaction.unwrap(String.class)).isInstanceOf(UnsupportedOperationException.class);
        transaction.close();
        transaction.close();
        assertThat(lent.isClosed()).isTrue();
        assertThatThrownBy(lent::createStatement).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> transaction.commit(0, List.of(), Optional.empty()))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aFailedStatementOfTheCallerRollsEverythingBack() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        LogTransaction transaction = join(writer.begin());
        tenant.insert(transaction, "row");
        assertThatThrownBy(() -> tenant.insert(transaction, null)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> transaction.commit(0, List.of(batch(topic, "one")), Optional.empty()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("failed before");
        assertThat(tenant.rows()).isEmpty();
        assertThat(join(writer.wasCommitted(0))).isFalse();
    }

    /** As an inbox does, that tolerates rows which it has already. */
    @Test
    void theCallersFirstSavepointMayBeRolledBack() throws SQLException {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        try (LogTransaction transaction = join(join(log.open("a")).begin())) {
            Connection lent = transaction.unwrap(Connection.class);
            Savepoint savepoint = lent.setSavepoint();
            assertThatThrownBy(() -> tenant.insert(transaction, null)).isInstanceOf(IllegalStateException.class);
            lent.rollback(savepoint);
            tenant.insert(transaction, "row");
            Savepoint second = lent.setSavepoint("second");
            tenant.insert(transaction, "undone");
            lent.rollback(second);
            assertThat(transaction.commit(0, List.of(batch(topic, "one")), Optional.empty()))
                    .hasSize(1);
        }
        assertThat(tenant.rows()).containsExactly("row");
    }

    @Test
    void rowsThatADeferredConstraintRefusesAreNoOutage() {
        tenant.execute(
                "alter table public.rows_of_" + tenant.name() + " add unique (row) deferrable initially deferred");
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        try (LogTransaction transaction = join(writer.begin())) {
            tenant.insert(transaction, "row");
            tenant.insert(transaction, "row");
            assertThatThrownBy(() -> transaction.commit(0, List.of(batch(topic, "one")), Optional.empty()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("deferred constraint")
                    .hasCauseInstanceOf(SQLException.class);
        }
        assertThat(tenant.rows()).isEmpty();
        assertThat(join(writer.wasCommitted(0))).isFalse();
    }

    @Test
    void aRoleWhoseTransactionsBeginInAnotherIsolationGetsTheRemedy() throws SQLException {
        tenant.execute("alter role " + tenant.name() + " set default_transaction_isolation = 'repeatable read'");

        assertThatThrownBy(this::connect)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("begin as repeatable read")
                .hasMessageContaining("alter role");
        PostgresqlUri uri = PostgresqlUri.parse(tenant.uri(tenant.server().port()));
        try (SystemTime time = new SystemTime()) {
            assertThat(new LogCheckup(uri, Migrations.needed(), time).run())
                    .filteredOn(finding -> finding.subject().equals("isolation"))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.level()).isEqualTo(StoreFinding.Level.ERROR));
        }
    }

    /** The database answers, so its absence is not the reason. */
    @Test
    void anInterruptedThreadThatOpensTheLogLearnsThatItWasInterrupted() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(this::connect)
                    .isInstanceOf(WaitInterruptedException.class)
                    .hasMessageContaining("interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aClosedLogRefusesAndEndsEveryCall() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        log.close();
        log.close();
        assertThatThrownBy(() -> join(log.topics().list())).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> commit(writer, 0, batch(topic, "one"))).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> join(writer.begin())).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> log.hints(number -> {})).isInstanceOf(ClosedException.class);
    }

    @Test
    void aLogThatClosesEndsItsCallsAndCutsNoCommitOff() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        List<CompletableFuture<List<Long>>> commits = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Writer writer = join(log.open("writer-" + i));
            commits.add(writer.commit(0, List.of(batch(topic, "" + i)), Optional.empty())
                    .toCompletableFuture());
        }
        log.close();
        int committed = 0;
        for (CompletableFuture<List<Long>> commit : commits) {
            assertThat(commit).isDone();
            committed += commit.isCompletedExceptionally() ? 0 : 1;
        }
        CommitLog other = connect();
        sequence(other, topic);
        assertThat(entries(other, topic, 0)).hasSize(committed);
    }

    @Test
    void aMemberRenewsWhileTheGroupChanges() throws SQLException {
        CommitLog log = open("");
        LogTopic topic = topic(log, "orders", 1);
        Member owner = new Member("billing", new UUID(7, 1), new Zone("a"), Set.of(topic.number()));
        Lease before = join(log.groups().renew(owner, Set.of()));
        Object joined = join(log.groups()
                .renew(new Member("billing", new UUID(7, 2), new Zone("a"), Set.of(topic.number())), Set.of()));
        try (Connection another = tenant.server().connect("postgres");
                Statement statement = another.createStatement()) {
            another.setAutoCommit(false);
            boolean isQuery = statement.execute("select from " + tenant.name() + ".group_state for update");
            Lease after = join(log.groups().renew(owner, Set.of()));
            assertThat(isQuery).isTrue();
            assertThat(joined).isNotNull();
            assertThat(after.generation()).isGreaterThan(before.generation());
            assertThat(after.owned()).isEqualTo(before.owned()).hasSize(1);
            another.rollback();
        }
    }

    @Test
    void aGroupOfManyMembersAndPartitionsSettles() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 200);
        List<Member> members = IntStream.range(0, 10)
                .mapToObj(i -> new Member("billing", new UUID(7, i), new Zone("z" + i % 3), Set.of(topic.number())))
                .toList();
        Map<UUID, Lease> leases = new HashMap<>();
        for (int round = 0; round < 6; round++) {
            for (Member member : members) {
                Lease before = leases.get(member.id());
                Set<LogPartition> released = before == null
                        ? Set.of()
                        : before.owned().stream()
                                .filter(OwnedPartition::isWanted)
                                .map(OwnedPartition::partition)
                                .collect(Collectors.toSet());
                leases.put(member.id(), join(log.groups().renew(member, released)));
            }
        }
        Set<LogPartition> owned = new HashSet<>();
        for (Lease lease : leases.values()) {
            assertThat(lease.owned()).hasSize(20).noneMatch(OwnedPartition::isWanted);
            lease.owned().forEach(each -> owned.add(each.partition()));
        }
        assertThat(owned).hasSize(200);
    }

    private CommitLog open(String parameters) {
        String uri = tenant.uri(tenant.server().port());
        return tenant.connect(
                parameters.contains("credentials=")
                        ? uri.substring(0, uri.indexOf("&credentials=")) + parameters
                        : uri + parameters,
                SHORT);
    }

    private static String trace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
