package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Topics, and reading them in order. */
class TopicFunctionsIT extends LogSchemaFixture {
    private static final String READ = "select * from read_order(?, ?, ?, ?, ?::bigint)";

    @Test
    void aNameIsTakenUntilItsTopicIsDeleted() throws SQLException {
        int topic = client.topic("t", "time", 1_000L);

        assertThat(client.<Integer>value("select create_topic('t', 3, 'forever', null)"))
                .isNull();
        assertThat(client.<Integer>value("select delete_topic('t')")).isEqualTo(topic);
        assertThat(client.<Integer>value("select delete_topic('t')")).isNull();
        assertThat(client.rows("select * from find_topics(null)")).isEmpty();
        assertThat(client.rows("select * from look(?)", (Object) new Integer[] {topic}))
                .isEmpty();
        assertFails("BS003", () -> client.rows(READ, topic, 0L, 1, 1L, null));
        assertThat(client.topic("t")).isGreaterThan(topic);
    }

    @Test
    void partitionsOnlyRise() throws SQLException {
        int topic = client.topic("t");
        String change = "select change_topic(?, ?, 'time', 5)";
        long before = client.<Long>value("select topics_version()");

        client.execute(change, topic, 3);

        assertThat(client.rows("select * from find_topics(?)", (Object) new String[] {"t", "u"}))
                .containsExactly(Map.of(
                        "topic_id", topic, "name", "t", "partitions", 3, "retention", "time", "retention_millis", 5L));
        assertThat(client.<Long>value("select topics_version()")).isGreaterThan(before);
        assertFails("BS006", () -> client.execute(change, topic, 2));
        assertFails("BS003", () -> client.execute(change, topic + 1, 4));
        assertFails("23514", () -> client.execute("select create_topic('', 1, 'forever', null)"));
        assertFails("23514", () -> client.execute("select create_topic('v', 0, 'forever', null)"));
        assertFails("23514", () -> client.execute("select create_topic('v', 1, 'time', null)"));
        assertFails("23514", () -> client.execute("select create_topic('v', 1, 'forever', 1)"));
    }

    @Test
    void readsEndAtEitherLimit() throws SQLException {
        int topic = written(10);

        assertThat(sequences(topic, 0, 100, 1_000)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(sequences(topic, 4, 2, 1_000)).containsExactly(4L, 5L);
        assertThat(sequences(topic, 4, 100, 6)).as("3 bytes each").containsExactly(4L, 5L);
        assertThat(sequences(topic, 4, 100, 7)).containsExactly(4L, 5L, 6L);
        assertThat(sequences(topic, 4, 100, 1)).as("at least one").containsExactly(4L);
        assertThat(sequences(topic, 10, 100, 1_000)).as("at the end").isEmpty();
    }

    @Test
    void positionsOutsideATopicReadNothing() throws SQLException {
        int topic = written(10);
        client.execute("select change_topic(?, 2, 'time', 1000)", topic);
        log.pass(Duration.ofMinutes(1));
        client.execute("select trim_topics()");
        client.publish(1, 1, 10, topic);
        client.execute("select sequence_topic(?)", topic);

        for (long outside : new long[] {0, 9, 12, Long.MAX_VALUE}) {
            assertThat(client.rows(READ, topic, outside, 5, 99L, 3L))
                    .as("from %d", outside)
                    .containsExactly(state(null, 10L, 11L));
        }
        assertThat(sequences(topic, 10, 5, 99)).containsExactly(10L);
    }

    @Test
    void theMarkIsTheBatchThatIsThereNow() throws SQLException {
        int topic = written(3);

        Map<String, Object> state = client.rows(READ, topic, 3L, 5, 99L, 2L).get(0);
        assertThat(state).containsEntry("seq", 2L).containsEntry("id", 3L).containsEntry("next_seq", 3L);
        assertThat((byte[]) state.get("entries")).containsExactly(1, 2, 3);
        assertThat(client.rows(READ, topic, 3L, 5, 99L, 7L)).containsExactly(state(null, 0L, 3L));
    }

    @Test
    void aTimeIsFoundAlongATopic() throws SQLException {
        int topic = client.topic("t");
        int empty = client.topic("empty");
        client.writer("w");
        List<Timestamp> times = new ArrayList<>();
        for (int no = 0; no < 7; no++) {
            times.add(client.<Timestamp>value("select clock from log_info()"));
            client.publish(1, 1, no, topic);
            client.execute("select sequence_topic(?)", topic);
            // The clock goes back for a while, as after a failover.
            log.pass(no == 3 ? Duration.ofSeconds(-30) : Duration.ofMinutes(1));
        }

        assertThat(seek(topic, times.get(0))).isZero();
        assertThat(seek(topic, times.get(2))).isEqualTo(2);
        assertThat(seek(topic, times.get(6))).isEqualTo(6);
        assertThat(seek(topic, Timestamp.valueOf("2000-01-01 00:00:00"))).isZero();
        assertThat(seek(topic, Timestamp.valueOf("2100-01-01 00:00:00"))).isEqualTo(7);
        assertThat(seek(empty, times.get(0))).isZero();
        List<Timestamp> committed =
                client.column("select committed_at from read_order(?, 0, 10, 999, null) offset 1", topic);
        assertThat(committed).hasSize(7).isSorted();
    }

    @Test
    void manyTopicsAreLookedAtInOneQuery() throws SQLException {
        Integer[] topics = new Integer[300];
        for (int i = 0; i < topics.length; i++) {
            topics[i] = client.topic("t" + i);
        }
        client.writer("w");
        client.publish(1, 1, 0, topics[7]);

        assertThat(client.<Integer>column("select topic_id from look(?) where is_staged", (Object) topics))
                .containsExactly(topics[7]);
        assertThat(client.rows("select * from look(?)", (Object) topics)).hasSize(300);
    }

    private int written(int batches) throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        int[] all = new int[batches];
        Arrays.fill(all, topic);
        client.publish(1, 1, 0, all);
        assertThat(client.<Long>value("select sequence_topic(?)", topic)).isEqualTo(batches);
        return topic;
    }

    private List<Long> sequences(int topic, long from, int rows, long bytes) throws SQLException {
        List<Long> all = client.column("select seq from read_order(?, ?, ?, ?, null)", topic, from, rows, bytes);
        return all.subList(1, all.size());
    }

    private long seek(int topic, Timestamp time) throws SQLException {
        return client.<Long>value("select seq from seek_time(array[?], array[?::timestamptz])", topic, time);
    }

    private static Map<String, Object> state(Long seq, long start, long next) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("seq", seq);
        row.put("id", null);
        row.put("committed_at", null);
        row.put("entries", null);
        row.put("log_start", start);
        row.put("next_seq", next);
        return row;
    }
}
