package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The order of batches: by the start of their commits, without holes, whatever overlaps. */
class SequenceFunctionsIT extends LogSchemaFixture {
    private static final String SEQUENCE = "select sequence_topic(?)";
    private static final String OUTBOX = "select outbox_publish('t', 'key', 'value')";

    @Test
    void batchesGetTheirPlacesInTheOrderOfTheirIds() throws SQLException {
        int topic = client.topic("t");
        int other = client.topic("other");
        client.writer("w");
        client.publish(1, 1, 0, topic, other, topic);

        assertThat(isStaged(topic)).isTrue();
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(2);

        assertThat(isStaged(topic)).isFalse();
        assertThat(isStaged(other)).isTrue();
        assertThat(client.<Long>value(SEQUENCE, topic)).isZero();
        assertThat(order(topic)).containsExactly(1L, 3L);
    }

    /**
     * An id that is older but committed later is found, although higher ids are sequenced already.
     */
    @Test
    void aLateCommitIsFoundBelowTheIdsInOrder() throws SQLException {
        int topic = client.topic("t");
        Session late = log.client();
        late.begin();
        long lateId = late.<Long>value(OUTBOX);
        long earlyId = client.<Long>value(OUTBOX);
        assertThat(lateId).isLessThan(earlyId);
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(1);
        assertThat(isStaged(topic)).isFalse();
        long third = client.<Long>value(OUTBOX);
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(1);

        late.commit();

        assertThat(isStaged(topic)).isTrue();
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(1);
        assertThat(isStaged(topic)).isFalse();
        assertThat(order(topic)).containsExactly(earlyId, third, lateId);
    }

    /** A transaction got its number before the last sequencing, and publishes only now. */
    @Test
    void aTransactionThatBeganBeforeASequencingIsFoundAfterIt() throws SQLException {
        int topic = client.topic("t");
        Session old = log.client();
        old.begin();
        old.execute("select pg_current_xact_id()");
        client.execute(OUTBOX);
        client.execute(SEQUENCE, topic);
        old.execute(OUTBOX);
        client.execute(OUTBOX);
        client.execute(SEQUENCE, topic);
        assertThat(isStaged(topic)).isFalse();

        old.commit();

        assertThat(isStaged(topic)).isTrue();
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(1);
        assertThat(order(topic)).containsExactly(1L, 3L, 2L);
    }

    /** Numbers of subtransactions differ from that of their transaction. */
    @Test
    void aCommitWithSavepointsIsFound() throws SQLException {
        int topic = client.topic("t");
        Session late = log.client();
        late.begin();
        late.execute("savepoint one");
        late.execute(OUTBOX);
        late.execute("savepoint two");
        late.execute(OUTBOX);
        late.execute("rollback to two");
        late.execute("release one");
        late.execute(OUTBOX);
        client.execute(OUTBOX);
        client.execute(SEQUENCE, topic);

        late.commit();

        assertThat(isStaged(topic)).isTrue();
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(2);
        assertThat(order(topic)).containsExactly(4L, 1L, 3L);
    }

    @Test
    void aCallMovesAtMostFiveThousandBatchesInOrder() throws SQLException {
        int topic = client.topic("t");
        Session late = log.client();
        late.begin();
        late.execute(OUTBOX);
        client.execute("select count(outbox_publish('t', 'key', 'value', created => n))"
                + " from generate_series(1, 12000) n");

        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(5000);
        assertThat(isStaged(topic)).isTrue();
        late.commit();
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(5000);
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(2001);
        assertThat(isStaged(topic)).isFalse();

        List<Long> expected =
                new ArrayList<>(LongStream.rangeClosed(2, 5001).boxed().toList());
        expected.add(1L);
        LongStream.rangeClosed(5002, 12001).forEach(expected::add);
        assertThat(order(topic)).isEqualTo(expected);
    }

    /** There are more late rows than a call moves: the next call finds the rest. */
    @Test
    void manyLateCommitsAreFoundCallByCall() throws SQLException {
        int topic = client.topic("t");
        Session late = log.client();
        late.begin();
        late.execute("select count(outbox_publish('t', 'key', 'value', created => n))"
                + " from generate_series(1, 11000) n");
        client.execute(OUTBOX);
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(1);
        late.commit();
        client.execute(OUTBOX);

        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(5000);
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(5000);
        assertThat(isStaged(topic)).isTrue();
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(1001);
        assertThat(isStaged(topic)).isFalse();

        assertThat(order(topic)).hasSize(11_002).doesNotHaveDuplicates();
    }

    @Test
    void oneSessionSequencesATopicAtATime() throws SQLException {
        int topic = client.topic("t");
        int other = client.topic("other");
        client.execute(OUTBOX);
        Session first = log.client();
        first.begin();
        assertThat(first.<Long>value(SEQUENCE, topic)).isEqualTo(1);

        assertThat(client.<Long>value(SEQUENCE, topic)).isNull();
        assertThat(client.<Long>value(SEQUENCE, other)).isZero();
        first.rollback();

        assertThat(isStaged(topic)).isTrue();
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(1);
    }

    /** A slow transaction of one client delays no other client. */
    @Test
    void anOpenPublishDelaysNeitherWritersNorSequencing() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        client.writer("v");
        Session slow = log.client();
        slow.begin();
        slow.publish(1, 1, 0, topic);

        client.execute("set statement_timeout = '5s'");
        assertThat(client.publish(2, 1, 0, topic).status()).isEqualTo("OK");
        assertThat(client.<Long>value(SEQUENCE, topic)).isEqualTo(1);
        client.execute("select delete_topic('t')");
    }

    @Test
    void sequencingNeedsReadCommitted() throws SQLException {
        int topic = client.topic("t");
        client.begin();
        client.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);

        assertFails("BS004", () -> client.execute(SEQUENCE, topic));
        client.rollback();
    }

    /**
     * Many concurrent writers, while two sessions sequence: no holes, no duplicates, no losses, and
     * each writer's batches are in order.
     */
    @Test
    void concurrentWritersLeaveNoHole() throws Exception {
        int topic = client.topic("t");
        int writers = 6;
        int commits = 150;
        List<CompletableFuture<Integer>> running = new ArrayList<>();
        for (int w = 1; w <= writers; w++) {
            client.writer("w" + w);
            Session session = log.client();
            long writer = w;
            running.add(CompletableFuture.supplyAsync(() -> publishAll(session, writer, topic, commits)));
        }
        List<Session> sequencers = List.of(log.client(), log.client());
        List<CompletableFuture<Void>> sequencing = sequencers.stream()
                .map(session -> CompletableFuture.runAsync(() -> sequenceUntil(session, topic, running)))
                .toList();
        for (CompletableFuture<Integer> each : running) {
            assertThat(each.get(120, TimeUnit.SECONDS)).isEqualTo(commits);
        }
        for (CompletableFuture<Void> each : sequencing) {
            each.get(60, TimeUnit.SECONDS);
        }
        while (isStaged(topic)) {
            client.execute(SEQUENCE, topic);
        }

        assertThat(log.count("inbox")).isZero();
        assertThat(order(topic)).hasSize(writers * commits).doesNotHaveDuplicates();
        assertThat(log.owner()
                        .<Long>value("select count(*) from (select writer_no, lag(writer_no) over"
                                + " (partition by writer_id order by seq) before from commit_order"
                                + " join batch using (id)) x where writer_no < before"))
                .isZero();
    }

    private static int publishAll(Session session, long writer, int topic, int commits) {
        try {
            for (int no = 0; no < commits; no++) {
                session.begin();
                session.publish(writer, 1, no, topic);
                if (no % 10 == 3) {
                    session.execute("select pg_sleep(0.01)");
                }
                session.commit();
            }
            return commits;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void sequenceUntil(Session session, int topic, List<CompletableFuture<Integer>> running) {
        try {
            while (!running.stream().allMatch(CompletableFuture::isDone)) {
                session.execute(SEQUENCE, topic);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean isStaged(int topic) throws SQLException {
        return client.<Boolean>value("select is_staged from look(?)", (Object) new Integer[] {topic});
    }

    /** The ids in order; asserts that sequences have no holes. */
    private List<Long> order(int topic) throws SQLException {
        List<Long> sequences =
                log.owner().column("select seq from commit_order where topic_id = ? order by seq", topic);
        assertThat(sequences)
                .isEqualTo(LongStream.range(0, sequences.size()).boxed().toList());
        return log.owner().column("select id from commit_order where topic_id = ? order by seq", topic);
    }
}
