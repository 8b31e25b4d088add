package dev.blobshuffle.postgresql.internal.schema;

import static dev.blobshuffle.postgresql.internal.schema.Session.blob;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The effects of trims, and the deletion of blobs. */
class RetentionFunctionsIT extends LogSchemaFixture {
    private static final String TRIM = "select trim_topics()";
    private static final String BURY = "select bury(?, ?, '1 hour')";
    private static final String UNREFERENCED = "select blob from unreferenced order by blob";

    @Test
    void aTimeRuleKeepsBatchesForItsTime() throws SQLException {
        int topic = client.topic("t", "time", 60_000L);
        writeAndSequence(topic, 0);
        log.pass(Duration.ofSeconds(40));
        writeAndSequence(topic, 1);
        assertThat(client.<Integer>value(TRIM)).isZero();

        log.pass(Duration.ofSeconds(30));

        assertThat(client.<Integer>value(TRIM)).isEqualTo(1);
        assertThat(client.<Long>value("select log_start from look(?)", (Object) new Integer[] {topic}))
                .isEqualTo(1);
        assertThat(log.count("batch")).isEqualTo(1);
        log.pass(Duration.ofSeconds(60));
        assertThat(client.<Integer>value(TRIM)).isEqualTo(1);
        assertThat(client.rows("select * from look(?)", (Object) new Integer[] {topic})
                        .get(0))
                .containsEntry("log_start", 2L)
                .containsEntry("next_seq", 2L);
        writeAndSequence(topic, 2);
        assertThat(client.<Long>value("select next_seq from look(?)", (Object) new Integer[] {topic}))
                .isEqualTo(3);
    }

    @Test
    void withoutARuleEverythingIsKept() throws SQLException {
        int topic = client.topic("t");
        writeAndSequence(topic, 0);
        log.pass(Duration.ofDays(10_000));

        assertThat(client.<Integer>value(TRIM)).isZero();
    }

    @Test
    void aConsumedRuleWaitsForTheSlowestPartitionOfEachGroup() throws SQLException {
        int topic = client.topic("t", "consumed", null);
        for (int no = 0; no < 6; no++) {
            writeAndSequence(topic, no);
        }
        assertThat(client.<Integer>value(TRIM)).as("no group").isZero();
        Object[] both = {new Integer[] {topic, topic}};
        client.execute("select set_positions('a', ?, '{0}', ?)", new Integer[] {topic}, new Long[] {5L << 24});
        assertThat(client.<Integer>value(TRIM))
                .as("a partition without a position")
                .isZero();
        client.execute("select set_positions('a', ?, '{0,1}', ?)", both[0], new Long[] {5L << 24, (3L << 24) + 2});
        assertThat(client.<Integer>value(TRIM)).as("up to the least position").isEqualTo(3);
        client.execute("select set_positions('b', ?, '{0,1}', ?)", both[0], new Long[] {4L << 24, 9L << 24});
        client.execute("select set_positions('a', ?, '{0,1}', ?)", both[0], new Long[] {6L << 24, 6L << 24});

        assertThat(client.<Integer>value(TRIM)).as("up to the other group").isEqualTo(1);
        client.execute("select delete_group('b')");
        assertThat(client.<Integer>value(TRIM)).as("all").isEqualTo(2);
        assertThat(log.count("batch")).isZero();
    }

    /** A member that reads a partition and has not committed yet needs all of it. */
    @Test
    void aConsumedRuleWaitsForTheFirstCommitOfAnOwnedPartition() throws SQLException {
        int topic = client.topic("t", "consumed", null);
        for (int no = 0; no < 3; no++) {
            writeAndSequence(topic, no);
        }
        client.execute("select set_positions('a', ?, '{0}', ?)", new Integer[] {topic}, new Long[] {2L << 24});
        client.execute(
                "select assign_partitions('a', 1, 1, ?, '{0,1}', ?, '{1,1}', '{null,null}')",
                new Integer[] {topic, topic},
                new UUID[] {new UUID(0, 1), new UUID(0, 1)});
        assertThat(log.count("group_partition")).isEqualTo(2);

        assertThat(client.<Integer>value(TRIM)).isZero();
    }

    @Test
    void aTrimRemovesAtMostAThousandBatchesAndServesAllTopics() throws SQLException {
        int first = client.topic("first", "time", 1_000L);
        int second = client.topic("second", "time", 1_000L);
        for (int topic : List.of(first, second)) {
            client.execute(
                    "select count(outbox_publish(?, 'key', 'value', created => n))"
                            + " from generate_series(1, 1600) n",
                    topic == first ? "first" : "second");
            client.execute("select sequence_topic(?)", topic);
        }
        log.pass(Duration.ofMinutes(1));

        assertThat(client.<Integer>value(TRIM)).isEqualTo(1000);
        assertThat(client.<Integer>value(TRIM)).isEqualTo(1000);
        assertThat(client.<List<Long>>value("select array_agg(log_start order by topic_id) from look(?)", (Object)
                        new Integer[] {first, second}))
                .as("the second topic does not wait for the first")
                .containsExactly(1000L, 1000L);
        assertThat(client.<Integer>value(TRIM)).isEqualTo(1000);
        assertThat(client.<Integer>value(TRIM)).isEqualTo(200);
        assertThat(client.<Integer>value(TRIM)).isZero();
        assertThat(log.count("batch")).isZero();
        assertThat(log.count("commit_order")).isZero();
    }

    @Test
    void aBlobOfTwoTopicsDiesWithItsLastReference() throws SQLException {
        int day = client.topic("day", "time", 1_000L);
        int year = client.topic("year", "time", 3_600_000L);
        byte[] shared = blob(minute(), 1);
        client.writer("w");
        client.publish(1, 1, 0, List.of(day, year), List.of(shared));
        client.execute("select sequence_topic(?), sequence_topic(?)", day, year);
        log.pass(Duration.ofMinutes(1));

        assertThat(client.<Integer>value(TRIM)).isEqualTo(1);
        assertThat(log.owner().<byte[]>column(UNREFERENCED)).isEmpty();
        log.pass(Duration.ofHours(2));
        assertThat(client.<Integer>value(TRIM)).isEqualTo(1);

        assertThat(client.<byte[]>column("select * from unreferenced_blobs('', 10)"))
                .containsExactly(shared);
        assertThat(log.count("blob_ref")).isZero();
    }

    /**
     * Two sessions that remove the last two references at the same time would each still see the
     * other's.
     */
    @Test
    void oneSessionTrimsAtATime() throws SQLException {
        int topic = client.topic("t", "time", 1_000L);
        int other = client.topic("other", "time", 1_000L);
        client.writer("w");
        client.publish(1, 1, 0, List.of(topic, other), List.of(blob(minute(), 1)));
        client.execute("select sequence_topic(?), sequence_topic(?)", topic, other);
        log.pass(Duration.ofMinutes(1));
        Session first = log.client();
        first.begin();
        assertThat(first.<Integer>value(TRIM)).isEqualTo(2);

        assertThat(client.<Integer>value(TRIM)).isNull();
        first.rollback();
        assertThat(client.<Integer>value(TRIM)).isEqualTo(2);
        assertThat(log.count("unreferenced")).isEqualTo(1);
    }

    @Test
    void aDeletedTopicIsTrimmedWithWhatWasNeverInOrderAndWhatComesLate() throws SQLException {
        int topic = client.topic("t");
        byte[] blob = blob(minute(), 1);
        client.writer("w");
        client.publish(1, 1, 0, List.of(topic), List.of(blob));
        client.execute("select sequence_topic(?)", topic);
        client.publish(1, 1, 1, List.of(topic), List.of(blob));
        Session late = log.client();
        late.begin();
        late.execute("select outbox_publish('t', 'key', 'value')");

        assertThat(client.<Integer>value("select delete_topic('t')")).isEqualTo(topic);
        int successor = client.topic("t");
        assertThat(client.<Integer>value(TRIM)).isEqualTo(2);
        late.commit();

        assertThat(client.<Long>value("select sequence_topic(?)", topic)).isZero();
        assertThat(client.<Integer>value(TRIM)).isEqualTo(1);
        for (String table : List.of("batch", "inbox", "commit_order", "blob_ref")) {
            assertThat(log.count(table)).as(table).isZero();
        }
        assertThat(log.owner().<byte[]>column(UNREFERENCED)).containsExactly(blob);
        assertFails("BS003", () -> client.publish(1, 1, 2, topic));
        assertThat(client.publish(1, 1, 2, successor).status()).isEqualTo("OK");
        log.pass(Duration.ofDays(2));
        client.execute(TRIM);
        assertThat(log.owner().<Boolean>value("select purged_at is not null from topic where topic_id = ?", topic))
                .isTrue();
    }

    @Test
    void onlyBlobsThatNobodyMayPublishAreBuried() throws SQLException {
        int topic = client.topic("t");
        long generation = minute();
        byte[] used = blob(generation, 1);
        byte[] orphan = blob(generation, 2);
        client.writer("w");
        client.publish(1, 1, 0, List.of(topic), List.of(used));
        byte[][] both = {used, orphan};

        for (int minute = 0; minute < 9; minute++) {
            assertThat(client.<Integer>value(BURY, (int) generation, both))
                    .as("after %d minutes", minute)
                    .isNull();
            log.pass(Duration.ofMinutes(1));
        }

        assertThat(client.<Integer>value(BURY, (int) generation, both)).isEqualTo(1);
        assertThat(client.<Integer>value(BURY, (int) generation, both))
                .as("once more")
                .isZero();
        assertThat(client.<byte[]>column("select * from tombstones_due(10)")).isEmpty();
        log.pass(Duration.ofMinutes(61));
        assertThat(client.<byte[]>column("select * from tombstones_due(10)")).containsExactly(orphan);
        client.execute("select tombstones_done(?)", (Object) new byte[][] {orphan});
        assertThat(log.count("tombstone")).isZero();
    }

    /** The publish began before the sweep and may still commit, however old its blob is now. */
    @Test
    void aSweepWaitsForAnOpenPublish() throws SQLException {
        int topic = client.topic("t");
        byte[] blob = blob(minute(), 1);
        client.writer("w");
        Session open = log.client();
        open.begin();
        open.publish(1, 1, 0, List.of(topic), List.of(blob));
        int generation = (int) minute();
        log.pass(Duration.ofMinutes(30));

        assertThat(client.<Integer>value(BURY, generation, new byte[][] {blob})).isNull();
        open.commit();
        assertThat(client.<Integer>value(BURY, generation, new byte[][] {blob})).isZero();
        assertThat(log.count("tombstone")).isZero();
    }

    /** The sweep began before the publish: its clock says that the blob is too old. */
    @Test
    void aPublishDuringASweepIsRefused() throws SQLException {
        int topic = client.topic("t");
        byte[] blob = blob(minute(), 1);
        int generation = (int) minute();
        client.writer("w");
        log.pass(Duration.ofMinutes(30));
        Session sweep = log.client();
        sweep.begin();
        assertThat(sweep.<Integer>value(BURY, generation, new byte[][] {blob})).isEqualTo(1);
        client.execute("set lock_timeout = '200ms'");

        assertFails("55P03", () -> client.publish(1, 1, 0, List.of(topic), List.of(blob)));
        sweep.commit();

        assertFails("BS001", () -> client.publish(1, 1, 0, List.of(topic), List.of(blob)));
    }

    @Test
    void buryForgetsOnlyTheCandidatesItSettled() throws SQLException {
        int topic = client.topic("t");
        long generation = minute();
        byte[] gone = blob(generation, 1);
        byte[] again = blob(generation, 2);
        byte[] other = blob(generation + 1, 3);
        client.writer("w");
        client.publish(1, 1, 0, List.of(topic), List.of(again));
        log.owner().execute("insert into unreferenced select * from unnest(?)", (Object)
                new byte[][] {gone, again, other, blob(generation, 4)});
        log.pass(Duration.ofMinutes(30));

        assertThat(client.<Integer>value(BURY, (int) generation, new byte[][] {gone, again, other}))
                .isEqualTo(1);

        assertThat(log.owner().<byte[]>column(UNREFERENCED)).containsExactly(blob(generation, 4), other);
    }

    @Test
    void generationsAreRememberedUntilTheyAreForgotten() throws SQLException {
        client.execute("select generation_listed(5)");
        log.pass(Duration.ofMinutes(5));
        client.execute("select generation_listed(5)");
        client.execute("select generation_listed(6)");
        assertThat(client.<Integer>column("select minute from generations()")).containsExactly(5, 6);
        assertThat(client.<Boolean>value("select max(listed_at) > now() + interval '4 minutes' from generations()"))
                .isTrue();

        client.execute("select forget_generations('{5,7}')");

        assertThat(client.<Integer>column("select minute from generations()")).containsExactly(6);
    }

    /** Readers and writers continue. */
    @Test
    void anOpenTrimDelaysNobody() throws SQLException {
        int topic = client.topic("t", "time", 1_000L);
        writeAndSequence(topic, 0);
        log.pass(Duration.ofMinutes(1));
        Session trim = log.client();
        trim.begin();
        assertThat(trim.<Integer>value(TRIM)).isEqualTo(1);
        client.execute("set statement_timeout = '5s'");

        writeAndSequence(topic, 1);
        assertThat(client.<Long>column("select seq from read_order(?, 0, 10, 1000, null) offset 1", topic))
                .containsExactly(0L, 1L);
        trim.commit();

        assertThat(client.rows("select * from look(?)", (Object) new Integer[] {topic})
                        .get(0))
                .containsEntry("log_start", 1L)
                .containsEntry("next_seq", 2L);
    }

    private void writeAndSequence(int topic, long no) throws SQLException {
        if (no == 0) {
            client.writer("w");
        }
        assertThat(client.publish(1, 1, no, topic).status()).isEqualTo("OK");
        assertThat(client.<Long>value("select sequence_topic(?)", topic)).isEqualTo(1);
    }
}
