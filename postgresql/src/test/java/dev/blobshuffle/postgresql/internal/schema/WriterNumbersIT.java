package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A writer's next number follows from its batches, or is stored if they cannot tell it. */
class WriterNumbersIT extends LogSchemaFixture {
    private static final String TRIM = "select trim_topics()";
    private static final long MINUTE = 60_000;

    @Test
    void aCommitOfBatchesWritesNoNumber() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        client.publish(1, 1, 0, topic);
        client.publish(1, 1, 1, topic, topic, topic);

        assertThat(log.count("writer_number")).isZero();
        assertNext(4);
    }

    @Test
    void numbersOutliveTheirBatches() throws SQLException {
        int topic = client.topic("t", "time", MINUTE);
        client.writer("w");
        client.publish(1, 1, 0, topic, topic);
        trimAll(topic, 2);

        assertThat(log.count("batch")).isZero();
        assertNext(2);
        assertThat(client.publish(1, 1, 1, topic).status())
                .as("the last one again")
                .isEqualTo("DUPLICATE");
        assertThat(client.writer("w")).containsEntry("next_no", 2L);
        assertThat(client.<Boolean>value("select was_committed(1, 1, 1)")).isTrue();
        assertThat(client.<Boolean>value("select was_committed(1, 1, 2)")).isFalse();
        assertThat(client.publish(1, 2, 2, topic).status()).isEqualTo("OK");
        assertNext(3);
    }

    /** The remaining batch has a lower number than the removed one. */
    @Test
    void aTopicThatIsTrimmedEarlierTakesNoNumberAway() throws SQLException {
        int kept = client.topic("kept");
        int topic = client.topic("t", "time", MINUTE);
        client.writer("w");
        client.publish(1, 1, 0, kept);
        client.publish(1, 1, 1, topic);
        trimAll(topic, 1);

        assertThat(log.count("batch")).isEqualTo(1);
        assertNext(2);
    }

    @Test
    void aTrimThatLeavesTheLastBatchKeepsNoNumber() throws SQLException {
        int topic = client.topic("t", "time", MINUTE);
        client.writer("w");
        client.publish(1, 1, 0, topic);
        client.execute("select sequence_topic(?)", topic);
        log.pass(Duration.ofMinutes(2));
        client.publish(1, 1, 1, topic);
        client.execute("select sequence_topic(?)", topic);

        assertThat(client.<Integer>value(TRIM)).isEqualTo(1);
        assertThat(log.count("writer_number")).isZero();
        assertNext(2);
    }

    @Test
    void commitsWithoutBatchesHaveOneRowPerWriter() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        for (int no = 0; no < 5; no++) {
            client.publish(1, 1, no);
        }

        assertThat(log.count("writer_number")).isEqualTo(1);
        client.publish(1, 1, 5, topic);
        assertNext(6);
        client.publish(1, 1, 6);
        assertNext(7);
        assertThat(log.count("writer_number")).isEqualTo(1);
    }

    /** With or without batches, on both sides: no number is taken twice. */
    @Test
    void anOldSnapshotNeverTakesATakenNumber() throws SQLException {
        int topic = client.topic("t");
        long no = 0;
        client.writer("w");
        for (int taken : List.of(0, 1, 2)) {
            for (int late : List.of(0, 1, 2)) {
                Session old = log.client();
                old.begin();
                old.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                old.execute("select 1");
                long first = no;
                assertThat(client.publish(1, 1, first, topics(topic, taken)).status())
                        .isEqualTo("OK");

                assertFails("40001", () -> old.publish(1, 1, first, topics(topic, late)));
                old.rollback();
                no += Math.max(taken, 1);
                assertNext(no);
            }
        }
    }

    @Test
    void aTransactionWithOneSnapshotMayPublish() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        long no = 0;
        for (int batches : List.of(1, 0, 2, 1, 0)) {
            client.begin();
            client.connection().setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            assertThat(client.publish(1, 1, no, topics(topic, batches)).status())
                    .isEqualTo("OK");
            client.commit();
            client.connection().setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            no += Math.max(batches, 1);
            assertNext(no);
        }
        assertThat(log.count("batch")).isEqualTo(4);
        assertThat(log.count("inbox")).isEqualTo(4);
    }

    /** A trim holds locks that sequencing needs, so it must not wait for a caller's transaction. */
    @Test
    void aTrimDoesNotWaitForAnOpenCommit() throws SQLException {
        int topic = client.topic("t", "time", MINUTE);
        client.writer("w");
        client.publish(1, 1, 0);
        client.publish(1, 1, 1, topic);
        client.execute("select sequence_topic(?)", topic);
        log.pass(Duration.ofMinutes(2));
        Session slow = log.client();
        slow.begin();
        slow.publish(1, 1, 2);
        Session trim = log.client();
        trim.execute("set lock_timeout = '5s'");

        assertThat(trim.<Integer>value(TRIM)).isEqualTo(1);
        assertNext(2);
        slow.commit();
        assertNext(3);
    }

    private static int[] topics(int topic, int times) {
        return IntStream.range(0, times).map(i -> topic).toArray();
    }

    private void trimAll(int topic, int batches) throws SQLException {
        client.execute("select sequence_topic(?)", topic);
        log.pass(Duration.ofMinutes(2));
        assertThat(client.<Integer>value(TRIM)).isEqualTo(batches);
    }

    private void assertNext(long next) throws SQLException {
        assertThat(log.owner().<Long>value("select next_number(1)")).isEqualTo(next);
    }
}
