package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Members, leases, and the fence around a partition's position. */
class GroupFunctionsIT extends LogSchemaFixture {
    private static final UUID ONE = new UUID(0, 1);
    private static final UUID TWO = new UUID(0, 2);
    private static final String RENEW = "select renew_member('g', ?, 'z', ?, interval '10 seconds', ?) is not null";

    @Test
    void aCommittedPositionMovesWithItsBatches() throws SQLException {
        int topic = client.topic("t");
        assign(topic, ONE, 1);
        client.writer("w");
        assertThat(partition(topic)).containsEntry("pos", null).containsEntry("metadata", null);

        assertThat(client.publishPosition(1, 1, 0, "g", ONE, topic, 1, 77).status())
                .isEqualTo("OK");

        assertThat(partition(topic)).containsEntry("pos", 77L).containsEntry("metadata", "m");
    }

    @Test
    void aZombieCommitsNothingAtAll() throws SQLException {
        int topic = client.topic("t");
        assign(topic, ONE, 1);
        client.writer("w");
        client.publishPosition(1, 1, 0, "g", ONE, topic, 1, 77);
        assign(topic, TWO, 2);

        assertFails("BS002", () -> client.publishPosition(1, 1, 1, "g", ONE, topic, 1, 99));
        assertFails("BS002", () -> client.publishPosition(1, 1, 1, "g", TWO, topic, 1, 99));
        assertFails("BS002", () -> client.publishPosition(1, 1, 1, "other", TWO, topic, 2, 99));
        assertThat(partition(topic)).containsEntry("pos", 77L);
        assertThat(client.publishPosition(1, 1, 1, "g", TWO, topic, 2, 99).status())
                .as("the number is free")
                .isEqualTo("OK");
    }

    @Test
    void onePartitionOfAnotherMemberRefusesAll() throws SQLException {
        int topic = client.topic("t");
        assign(topic, ONE, 1);

        assertFails(
                "BS002",
                () -> client.execute(
                        "select commit_positions('g', ?, ?, '{0,1}', '{1,1}', '{5,6}', '{null,null}')",
                        ONE,
                        new Integer[] {topic, topic}));

        assertThat(partition(topic)).containsEntry("pos", null);
    }

    /** The fence: a new owner waits for an open commit of the old one. */
    @Test
    void anAssignmentWaitsForAnOpenCommitOfThePosition() throws Exception {
        int topic = client.topic("t");
        assign(topic, ONE, 1);
        client.writer("w");
        Session old = log.client();
        old.begin();
        old.publishPosition(1, 1, 0, "g", ONE, topic, 1, 77);

        int pid = client.pid();
        CompletableFuture<Object> assigned = client.later(
                "select assign_partitions('g', 2, 0, ?, '{0}', ?, '{2}', '{null}')",
                new Integer[] {topic}, new UUID[] {TWO});
        awaitBlocked(pid);
        old.commit();
        assigned.get(20, TimeUnit.SECONDS);

        assertThat(partition(topic)).containsEntry("pos", 77L).containsEntry("member_id", TWO);
    }

    /**
     * A new table has no statistics. A plan for arrays of any length, which the server chooses
     * after some calls, then compares each of them with each row: that takes minutes.
     */
    @Test
    void manyPositionsNeedNoStatistics() throws SQLException {
        int topic = client.topic("t");
        client.execute("set plan_cache_mode = force_generic_plan");
        client.execute("set statement_timeout = '20s'");
        String numbers = "array_fill(?::int, array[10000]), array(select generate_series(0, 9999))";
        String zeros = "array_fill(0::bigint, array[10000])";

        for (int generation = 0; generation < 2; generation++) {
            client.execute(
                    "select assign_partitions('g', 0, 0, " + numbers + ", array_fill(?::uuid, array[10000]), " + zeros
                            + ", array_fill(null::uuid, array[10000]))",
                    topic,
                    ONE);
            client.execute(
                    "select commit_positions('g', ?::uuid, " + numbers + ", " + zeros + ", " + zeros
                            + ", array_fill(null::text, array[10000]))",
                    ONE,
                    topic);
        }
        client.execute("select set_positions('g', " + numbers + ", " + zeros + ")", topic);

        assertThat(partition(topic)).containsEntry("pos", 0L);
    }

    /** Locks are taken in the order of keys, whatever the order of arguments. */
    @Test
    void commitsOfManyPartitionsDoNotDeadlock() throws Exception {
        int topic = client.topic("t");
        client.execute(
                "select assign_partitions('g', 1, 0, array_fill(?::int, array[100]),"
                        + " array(select generate_series(0, 99)), array_fill(?::uuid, array[100]),"
                        + " array_fill(1::bigint, array[100]), array_fill(null::uuid, array[100]))",
                topic,
                ONE);
        List<CompletableFuture<Boolean>> running = List.of(
                log.client().later(committing("p"), topic, ONE),
                log.client().later(committing("-p"), topic, ONE),
                log.client().later(committing("random()"), topic, ONE));
        for (CompletableFuture<Boolean> each : running) {
            each.get(60, TimeUnit.SECONDS);
        }
    }

    private static String committing(String order) {
        return """
                with a as (select array_agg(p order by %s) ps from generate_series(0, 99) p)
                select count(commit_positions('g', m.id, array_fill(m.topic, array[100]), ps,
                  array_fill(1::bigint, array[100]), array_fill(n::bigint, array[100]),
                  array_fill(null::text, array[100]))) > 0
                from a, (select ?::int as topic, ?::uuid as id) m, generate_series(1, 100) n""".formatted(order);
    }

    @Test
    void aLeaseEndsByTheLogsClock() throws SQLException {
        int topic = client.topic("t");
        join(topic, ONE);
        log.pass(Duration.ofSeconds(9));
        join(topic, TWO);
        assertThat(members()).containsExactly(ONE, TWO);
        assertThat(client.rows("select * from topic_zones(?)", (Object) new Integer[] {topic}))
                .containsExactly(Map.of("topic_id", topic, "zone", "z", "members", 2));

        log.pass(Duration.ofSeconds(2));

        assertThat(members()).containsExactly(TWO);
        assertThat(client.<Boolean>value("select drop_member('g', ?)", TWO)).isTrue();
        assertThat(members()).isEmpty();
        assertThat(client.rows("select * from topic_zones(?)", (Object) new Integer[] {topic}))
                .isEmpty();
    }

    @Test
    void aRenewalIsQuickOnlyWhileNothingHasChanged() throws SQLException {
        int topic = client.topic("t");
        Integer[] topics = {topic};
        assertThat(client.<Boolean>value(RENEW, ONE, topics, 0L)).as("no group").isFalse();
        join(topic, ONE);
        assign(topic, ONE, 1);
        assertThat(client.<Boolean>value(RENEW, ONE, topics, 1L)).isTrue();
        log.pass(Duration.ofSeconds(9));
        assertThat(client.<Boolean>value(RENEW, ONE, topics, 1L)).isTrue();
        log.pass(Duration.ofSeconds(9));
        assertThat(members()).as("renewed").containsExactly(ONE);

        assertThat(client.<Boolean>value(RENEW, ONE, topics, 2L))
                .as("another generation")
                .isFalse();
        assertThat(client.<Boolean>value(RENEW, ONE, new Integer[] {topic, 9}, 1L))
                .as("other topics")
                .isFalse();
        assertThat(client.<Boolean>value(RENEW, TWO, topics, 1L))
                .as("a new member")
                .isFalse();
        client.topic("another");
        assertThat(client.<Boolean>value(RENEW, ONE, topics, 1L))
                .as("topics changed")
                .isFalse();
        assign(topic, ONE, 1);
        join(topic, TWO);
        assertThat(client.<Boolean>value(RENEW, ONE, topics, 1L)).isTrue();
        log.pass(Duration.ofSeconds(11));
        assertThat(client.<Boolean>value(RENEW, ONE, topics, 1L))
                .as("a lease has ended")
                .isFalse();
    }

    @Test
    void positionsAreSetOnlyWithoutMembersAndFenceOldOnes() throws SQLException {
        int topic = client.topic("t");
        join(topic, ONE);
        assign(topic, ONE, 1);
        String set = "select set_positions('g', ?, '{0}', '{55}')";
        assertFails("BS005", () -> client.execute(set, (Object) new Integer[] {topic}));
        assertFails("BS005", () -> client.execute("select delete_group('g')"));
        log.pass(Duration.ofSeconds(11));

        client.execute(set, (Object) new Integer[] {topic});

        assertThat(partition(topic)).containsEntry("pos", 55L).containsEntry("member_id", null);
        assertFails(
                "BS002",
                () -> client.execute(
                        "select commit_positions('g', ?, ?, '{0}', '{1}', '{5}', '{null}')",
                        ONE, new Integer[] {topic}));
        assertThat(client.<String>column("select * from find_groups()")).containsExactly("g");
        assertThat(client.<Boolean>value("select delete_group('g')")).isTrue();
        assertThat(client.<Boolean>value("select delete_group('g')")).isFalse();
        assertThat(client.<Long>value("select find_group('g')")).isNull();
        assertThat(log.count("group_partition")).isZero();
    }

    @Test
    void oneStepOfAGroupAtATime() throws Exception {
        client.begin();
        client.execute("select * from lock_group('g')");
        Session other = log.client();
        int pid = other.pid();
        CompletableFuture<Long> second = other.later("select generation from lock_group('g')");
        awaitBlocked(pid);
        client.execute("select assign_partitions('g', 5, 0, '{}', '{}', '{}', '{}', '{}')");
        client.commit();

        assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(5);
    }

    @Test
    void aDeletedTopicLeavesItsGroups() throws SQLException {
        int topic = client.topic("t");
        assign(topic, ONE, 1);
        client.execute("select delete_topic('t')");
        assertThat(log.count("group_partition")).isZero();

        assign(topic, ONE, 2);

        assertThat(log.count("group_partition")).isZero();
    }

    private void join(int topic, UUID member) throws SQLException {
        client.execute("select lock_group('g')");
        client.execute("select put_member('g', ?, 'z', ?, '10 seconds')", member, new Integer[] {topic});
    }

    /** Assigns partition 0 to one member, under the group's generation 1. */
    private void assign(int topic, UUID owner, long generation) throws SQLException {
        client.execute("select lock_group('g')");
        client.execute(
                "select assign_partitions('g', 1, topics_version(), ?, '{0}', ?, ?, '{null}')",
                new Integer[] {topic}, new UUID[] {owner}, new Long[] {generation});
    }

    private List<UUID> members() throws SQLException {
        return client.column("select member_id from group_members('g')");
    }

    private Map<String, Object> partition(int topic) throws SQLException {
        return client.rows("select * from group_partitions('g', null) where topic_id = ? and part = 0", topic)
                .get(0);
    }
}
