package dev.blobshuffle.postgresql.internal.schema;

import static dev.blobshuffle.postgresql.internal.schema.Session.blob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.postgresql.internal.schema.Session.Published;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Numbers and epochs of writers, and blobs that are too old. */
class WriterFunctionsIT extends LogSchemaFixture {
    @Test
    void aRepeatedCommitIsStoredOnceWithTheSameIds() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");

        Published first = client.publish(1, 1, 0, topic, topic);
        Published again = client.publish(1, 1, 0, topic, topic);

        assertThat(first.status()).isEqualTo("OK");
        assertThat(again).isEqualTo(new Published("DUPLICATE", first.ids(), 2L));
        assertThat(log.count("batch")).isEqualTo(2);
        assertThat(log.count("inbox")).isEqualTo(2);
    }

    @Test
    void aDuplicateWhoseBatchesAreTrimmedHasNoIds() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        client.publish(1, 1, 0, topic, topic);
        client.execute("select sequence_topic(?)", topic);
        client.execute("select delete_topic('t')");
        assertThat(client.<Integer>value("select trim_topics()")).isEqualTo(2);

        Published again = client.publish(1, 1, 0, topic, topic);

        assertThat(again.status()).isEqualTo("DUPLICATE");
        assertThat(again.ids()).containsExactly(null, null);
    }

    @Test
    void aCommitWithoutABatchTakesANumber() throws SQLException {
        client.writer("w");

        assertThat(client.publish(1, 1, 0)).isEqualTo(new Published("OK", List.of(), 1L));
        assertThat(client.publish(1, 1, 0)).isEqualTo(new Published("DUPLICATE", List.of(), 1L));
    }

    @Test
    void aGapAndAnOverlapChangeNothing() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        client.publish(1, 1, 0, topic, topic);

        assertThat(client.publish(1, 1, 3, topic)).isEqualTo(new Published("GAP", null, 2L));
        assertThat(client.publish(1, 1, 1, topic, topic)).isEqualTo(new Published("GAP", null, 2L));
        assertThat(log.count("batch")).isEqualTo(2);
    }

    @Test
    void aSuccessorFencesAndGoesOnWithTheNumbers() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        client.publish(1, 1, 0, topic);

        Map<String, Object> successor = client.writer("w");

        assertThat(successor).containsEntry("epoch", 2).containsEntry("next_no", 1L);
        assertThat(client.publish(1, 1, 1, topic).status()).isEqualTo("FENCED");
        assertThat(client.publish(1, 1, 0, topic).status()).isEqualTo("FENCED");
        assertThat(client.publish(1, 2, 1, topic).status()).isEqualTo("OK");
        assertThat(log.count("batch")).isEqualTo(2);
    }

    @Test
    void aSuccessorWaitsForTheOpenTransactionOfItsPredecessor() throws Exception {
        int topic = client.topic("t");
        client.writer("w");
        client.begin();
        client.publish(1, 1, 0, topic);

        Session other = log.client();
        int pid = other.pid();
        CompletableFuture<Long> next = other.later("select next_no from init_writer('w')");
        awaitBlocked(pid);
        client.commit();

        assertThat(next.get(20, TimeUnit.SECONDS)).isEqualTo(1);
    }

    /** The predecessor's commit arrives while its successor opens: it waits, and is then fenced. */
    @Test
    void aCommitThatWaitsForASuccessorIsFenced() throws Exception {
        int topic = client.topic("t");
        client.writer("w");
        Session successor = log.client();
        successor.begin();
        successor.writer("w");

        int pid = client.pid();
        CompletableFuture<String> status = client.later(
                "select status from publish(1, 1, 0, ?, '{1}', '{1}', array['\\x01'::bytea], null, null, null, null,"
                        + " null, null, null, null, null)",
                (Object) new Integer[] {topic});
        awaitBlocked(pid);
        successor.commit();

        assertThat(status.get(20, TimeUnit.SECONDS)).isEqualTo("FENCED");
        assertThat(log.count("batch")).isZero();
    }

    /** After a lost acknowledgement, the repeated call finds the first one still open. */
    @Test
    void aRepeatedCommitWaitsForTheFirstOne() throws Exception {
        int topic = client.topic("t");
        client.writer("w");
        client.begin();
        client.publish(1, 1, 0, topic);

        Session other = log.client();
        int pid = other.pid();
        CompletableFuture<String> status = other.later(
                "select status from publish(1, 1, 0, ?, '{1}', '{1}', array['\\x01'::bytea], null, null, null, null,"
                        + " null, null, null, null, null)",
                (Object) new Integer[] {topic});
        awaitBlocked(pid);
        client.commit();

        assertThat(status.get(20, TimeUnit.SECONDS)).isEqualTo("DUPLICATE");
    }

    @Test
    void wasCommittedHoldsAcrossEpochsAndTrims() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        client.publish(1, 1, 0, topic, topic);
        client.writer("w");
        client.publish(1, 2, 2, topic); // The predecessor's next number, used by its successor.
        client.execute("select delete_topic('t')");
        client.execute("select trim_topics()");

        String asked = "select was_committed(1, ?, ?)";
        assertThat(client.<Boolean>value(asked, 1, 1L)).isTrue();
        assertThat(client.<Boolean>value(asked, 1, 2L)).isFalse();
        assertThat(client.<Boolean>value(asked, 2, 2L)).isTrue();
        assertThat(client.<Boolean>value(asked, 2, 3L)).isFalse();
    }

    @Test
    void aMissingTopicFreesTheNumbers() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");

        assertFails("BS003", () -> client.publish(1, 1, 0, topic, topic + 100));

        assertThat(log.count("batch")).isZero();
        assertThat(client.publish(1, 1, 0, topic).status()).isEqualTo("OK");
    }

    @Test
    void aBlobThatIsTooOldIsRefusedByTheLogsClock() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        byte[] blob = blob(minute(), 0);
        log.pass(Duration.ofMinutes(3));
        assertThat(client.publish(1, 1, 0, List.of(topic), List.of(blob)).status())
                .isEqualTo("OK");

        log.pass(Duration.ofMinutes(1));

        assertFails("BS001", () -> client.publish(1, 1, 1, List.of(topic), List.of(blob)));
        assertThat(client.publish(1, 1, 1, List.of(topic), List.of(blob(minute(), 0)))
                        .status())
                .isEqualTo("OK");
    }

    /** As after a failover to a clock that is behind: only the tombstone remains. */
    @Test
    void aBlobWithATombstoneIsRefused() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        byte[] blob = blob(minute(), 0);
        log.pass(Duration.ofMinutes(30));
        assertThat(client.<Integer>value("select bury(?, ?, '1 hour')", (int) (minute() - 30), new byte[][] {blob}))
                .isEqualTo(1);
        log.pass(Duration.ofMinutes(-30));

        assertFails("BS001", () -> client.publish(1, 1, 0, List.of(topic), List.of(blob)));
    }

    /** Its age is looked up at index 1, so it must not be stored at another index. */
    @Test
    void aBlobBesideTheFirstIndexIsRefused() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");

        assertFails(
                "23502", // not_null_violation
                () -> client.execute(
                        "select publish(1, 1, 0, array[?], '{1}', '{1}', array['\\x01'::bytea], ?::bytea[], '{1}',"
                                + " null, null, null, null, null, null, null)",
                        topic, "[0:0]={\"\\\\x" + "00".repeat(20) + "\"}"));
        assertThat(client.<Long>value("select count(*) from look(array[?]) where is_staged", topic))
                .isZero();
    }

    @Test
    void aBlobIdOfAnotherLengthIsRefused() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        byte[] tooLong = Arrays.copyOf(blob(minute(), 0), 24);

        assertFails("23514", () -> client.publish(1, 1, 0, List.of(topic), List.of(tooLong)));
    }

    /** With a snapshot from before another commit, the same numbers must not be stored twice. */
    @Test
    void anOldSnapshotCannotStoreANumberTwice() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        Session old = log.client();
        old.begin();
        old.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        old.execute("select 1");
        client.publish(1, 1, 0, topic);

        assertFails("40001", () -> old.publish(1, 1, 0, topic));
        old.rollback();

        assertThat(log.count("batch")).isEqualTo(1);
    }

    /** A client that dies between publish and commit must not hold the writer for long. */
    @Test
    void anOpenPublishHasALimitOfTimeAndIsDurable() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        client.execute("set synchronous_commit to off");
        client.begin();
        client.publish(1, 1, 0, topic);

        assertThat(client.<String>value("select current_setting('idle_in_transaction_session_timeout')"))
                .isEqualTo("10s");
        assertThat(client.<String>value("select current_setting('synchronous_commit')"))
                .isEqualTo("on");
        client.commit();
        assertThat(client.<String>value("select current_setting('idle_in_transaction_session_timeout')"))
                .isEqualTo("0");
    }

    /** Dead letters are published under a new name after each start. */
    @Test
    void aWriterThatWasNotUsedFor90DaysEnds() throws SQLException {
        int topic = client.topic("t", "time", 1_000L);
        client.writer("published");
        client.writer("idle");
        client.publish(1, 1, 0, topic);
        client.execute("select sequence_topic(?)", topic);
        log.pass(Duration.ofDays(80));
        client.execute("select trim_topics()");
        client.writer("used");
        log.pass(Duration.ofDays(20));
        client.execute("select trim_topics()");
        assertThat(log.owner().<String>column("select name from writer order by 1"))
                .containsExactly("published", "used");

        log.pass(Duration.ofDays(91));
        client.execute("select trim_topics()");
        assertThat(log.count("writer") + log.count("writer_epoch") + log.count("writer_number"))
                .isZero();
        assertThat(client.publish(3, 1, 0, topic).status()).isEqualTo("FENCED");
        assertThat(client.writer("published")).containsEntry("next_no", 0L);
    }
}
