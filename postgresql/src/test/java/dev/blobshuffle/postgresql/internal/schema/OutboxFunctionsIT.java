package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Publishing from the caller's own transaction, whatever its search_path and isolation are. */
class OutboxFunctionsIT extends LogSchemaFixture {
    private String publish;
    private Session caller;

    private void useOutbox() throws SQLException {
        client.topic("t");
        publish = "select " + log.quoted() + ".outbox_publish('t', '\\x01'::bytea, 1::bigint, 1::bigint)";
        caller = log.stranger();
        caller.execute("create temp table orders (n int)");
        caller.execute("create temp table batch (n int)");
        caller.execute("create temp table inbox (n int)");
        caller.execute("set search_path to pg_temp, public");
    }

    @Test
    void itCommitsAndRollsBackWithTheCallersRows() throws SQLException {
        useOutbox();
        caller.begin();
        caller.execute("insert into orders values (1)");
        caller.execute(publish);
        caller.rollback();
        assertThat(log.count("batch")).isZero();

        caller.begin();
        caller.execute("insert into orders values (2)");
        caller.execute(publish);
        assertThat(caller.<String>value("show search_path")).isEqualTo("pg_temp, public");
        assertThat(caller.<String>value("show idle_in_transaction_session_timeout"))
                .as("the caller's transaction is its own")
                .isEqualTo("0");
        caller.commit();

        assertThat(log.count("batch")).isEqualTo(1);
        assertThat(log.count("inbox")).isEqualTo(1);
        assertThat(caller.<Long>value("select count(*) from batch")).isZero();
    }

    @Test
    void itWorksInEveryIsolation() throws SQLException {
        useOutbox();
        for (int isolation : new int[] {
            Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ,
            Connection.TRANSACTION_SERIALIZABLE
        }) {
            caller.connection().setTransactionIsolation(isolation);
            caller.begin();
            caller.execute(publish);
            caller.commit();
        }

        assertThat(client.<Long>value("select sequence_topic(1)")).isEqualTo(3);
    }

    /** Records have the order of the rows that their transactions locked before. */
    @Test
    void publishingAfterTheLockKeepsTheOrderOfTheRows() throws Exception {
        useOutbox();
        log.owner().execute("create table account (n int)");
        log.owner().execute("insert into account values (0)");
        Session first = log.owner();
        first.begin();
        first.execute("update account set n = 1");
        Session second = log.client();
        log.owner().execute("grant all on account to \"" + log.clientRole.replace("\"", "\"\"") + "\"");
        first.commit();
        first.begin();
        first.execute("update account set n = 2");
        long firstId = first.<Long>value(publish);
        second.begin();
        CompletableFuture<Long> secondId =
                second.later("with a as (update account set n = 3 returning n) select n::bigint from a");
        first.commit();
        secondId.get(20, TimeUnit.SECONDS);
        long later = second.<Long>value(publish);
        second.commit();

        assertThat(firstId).isLessThan(later);
    }

    @Test
    void aMissingTopicAndTooMuchAreRefused() throws SQLException {
        useOutbox();
        assertFails("BS003", () -> caller.execute(publish.replace("'t'", "'missing'")));
        assertFails(
                "23514",
                () -> caller.execute("select " + log.quoted()
                        + ".outbox_publish('t', decode(repeat('00', 65537), 'hex'), 1::bigint, 1::bigint)"));
        assertFails("23514", () -> caller.execute(publish.replace("\\x01", "\\x")));
    }
}
