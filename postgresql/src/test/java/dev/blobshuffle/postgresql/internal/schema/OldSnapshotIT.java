package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLWarning;

/**
 * Work while another session holds an old snapshot, as a dump does, and while one holds a
 * transaction that has written. Dead rows stay, and neither queries nor commits may pass them.
 * Costs are counted in pages, not in time.
 * {@code -Dblobshuffle.test.batches=100000 -Dblobshuffle.test.staged=1000000} makes the topics as
 * large as after an hour without sequencing.
 */
class OldSnapshotIT extends LogSchemaFixture {
    /** In the words of PostgreSQL 15 and later, and of 14. */
    private static final Pattern DEAD_ROWS =
            Pattern.compile("(\\d+) (?:are dead but not yet removable|dead row versions cannot be removed yet)");

    private static final int PER_COMMIT = 50;
    private static final int BATCHES = Integer.getInteger("blobshuffle.test.batches", 20_000);
    private static final int STAGED = Integer.getInteger("blobshuffle.test.staged", 50_000);
    private static final int PER_SEQUENCING = 5_000;
    private static final int COMMITS = 5;

    @Test
    void looksAndCommitsCostTheSameAfterManyBatches() throws SQLException {
        int topic = client.topic("t");
        client.writer("w");
        Session dump = log.owner();
        Session writing = log.client();
        writing.begin();
        writing.execute("select pg_current_xact_id()");
        long no = write(topic, 0, 20);
        long look = lookPages(topic);
        Session reader = log.client();
        reader.begin();
        reader.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        reader.execute("select count(*) from look(?)", (Object) new Integer[] {topic});

        no = write(topic, no, BATCHES / PER_COMMIT);

        assertThat(rowsThatVacuumLeaves(dump))
                .as("dead rows that nobody can remove")
                .isGreaterThan(BATCHES / 2);
        assertThat(lookPages(topic)).as("pages of a look").isLessThanOrEqualTo(look + 30);
        assertThat(commitPages(topic, no))
                .as("pages of the first commit of one batch")
                .isLessThan(1_000);
        assertThat(medianCommitPages(topic, no + 1)).as("pages of a commit").isLessThan(100);
        assertThat(reader.<Long>value("select next_seq from look(?)", (Object) new Integer[] {topic}))
                .as("the old snapshot's own view")
                .isEqualTo(20L * PER_COMMIT);
        reader.rollback();
        writing.execute("select outbox_publish('t', 'key', 'value')");
        writing.commit();
        client.execute("select sequence_topic(?)", topic);
        assertThat(client.<Long>value("select next_seq from look(?)", (Object) new Integer[] {topic}))
                .isEqualTo(20L * PER_COMMIT + BATCHES + 2 + COMMITS);
    }

    /** Nothing was sequenced for long, and there is an old snapshot. */
    @Test
    void manyStagedBatchesGetTheirPlaces() throws SQLException {
        int topic = client.topic("t");
        int other = client.topic("other");
        Session reader = log.client();
        reader.begin();
        reader.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        reader.execute("select * from look(?)", (Object) new Integer[] {topic});
        log.owner()
                .execute("with b as (insert into batch (topic_id, bytes, latest, entries)"
                        + " select 1, 1, 1, '\\x01' from generate_series(1, " + STAGED + ") returning topic_id, id)"
                        + " insert into inbox select topic_id, id from b");
        assertThat(lookPages(other)).isLessThan(100);

        long calls = 0;
        while (client.<Long>value("select sequence_topic(?)", topic) > 0) {
            calls++;
        }

        assertThat(calls).isEqualTo(STAGED / PER_SEQUENCING);
        assertThat(lookPages(topic)).as("pages of a look").isLessThan(100);
        assertThat(client.rows("select * from look(?)", (Object) new Integer[] {topic})
                        .get(0))
                .containsEntry("next_seq", (long) STAGED)
                .containsEntry("is_staged", false);
        assertThat(log.owner()
                        .<Boolean>value("select bool_and(seq = id - (select min(id) from batch)) from commit_order"))
                .isTrue();
    }

    private long write(int topic, long from, int commits) throws SQLException {
        int[] batches = new int[PER_COMMIT];
        Arrays.fill(batches, topic);
        long no = from;
        for (int commit = 0; commit < commits; commit++) {
            client.publish(1, 1, no, batches);
            client.execute("select sequence_topic(?)", topic);
            no += PER_COMMIT;
        }
        return no;
    }

    /**
     * Reads what the vacuum reports. The statistics change by themselves while the server analyzes.
     */
    private static long rowsThatVacuumLeaves(Session session) throws SQLException {
        try (Statement vacuum = session.connection().createStatement()) {
            vacuum.execute("vacuum (verbose) inbox");
            for (SQLWarning report = vacuum.getWarnings(); report != null; report = report.getNextWarning()) {
                Matcher left = DEAD_ROWS.matcher(wholeText(report));
                if (left.find()) {
                    return Long.parseLong(left.group(1));
                }
            }
        }
        throw new AssertionError("no report of dead rows");
    }

    /** PostgreSQL 14 reports dead rows in the detail, which the message lacks. */
    private static String wholeText(SQLWarning report) {
        return String.valueOf(((PSQLWarning) report).getServerErrorMessage());
    }

    private long lookPages(int topic) throws SQLException {
        return pages("select count(*) from look(array[" + topic + "])");
    }

    private long commitPages(int topic, long no) throws SQLException {
        return pages("select status, sequence_topic(" + topic + ") from publish(1, 1, " + no + ", array[" + topic
                + "], '{1}', '{1}', array['\\x01'::bytea], null, null, null, null, null, null, null, null, null)");
    }

    /** The median, because a commit right after the server has analyzed a table plans again. */
    private long medianCommitPages(int topic, long from) throws SQLException {
        long[] pages = new long[COMMITS];
        for (int i = 0; i < COMMITS; i++) {
            pages[i] = commitPages(topic, from + i);
        }
        Arrays.sort(pages);
        return pages[COMMITS / 2];
    }

    /** Pages that a statement touches. A first run warms up caches of the catalog. */
    private long pages(String sql) throws SQLException {
        client.execute("select * from look('{1}')");
        for (String line : client.<String>column("explain (analyze, buffers, timing off, costs off) " + sql)) {
            int at = line.indexOf("shared hit=");
            if (at >= 0) {
                return Long.parseLong(line.substring(at + 11).split("[^0-9]")[0]);
            }
        }
        throw new AssertionError("no count of pages");
    }
}
