package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.store.StoreFinding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Checks dead rows of the log's tables, and batches that wait to be sequenced, according to the
 * server's statistics.
 */
final class BloatCheck implements Check {
    private static final String SUBJECT = "bloat";

    /** This many dead rows of the inbox add some milliseconds to each query for new batches. */
    private static final long MANY = 100_000;

    private static final String FACTS = """
            select s.relname as name, s.n_live_tup as live, s.n_dead_tup as dead,
              pg_catalog.pg_table_size(s.relid) as bytes
            from pg_catalog.pg_stat_all_tables s where s.schemaname = ? order by s.n_dead_tup desc, s.relname""";

    private final String schema;

    BloatCheck(String schema) {
        this.schema = schema;
    }

    @Override
    public String subject() {
        return SUBJECT;
    }

    private record Table(String name, long live, long dead, long bytes) {
        boolean isBloated() {
            return dead > MANY && (name.equals("inbox") || dead > live);
        }
    }

    @Override
    public List<StoreFinding> run(Connection database) throws SQLException {
        List<Table> tables = Row.all(
                database,
                FACTS,
                row -> new Table(row.getString("name"), row.getLong("live"), row.getLong("dead"), row.getLong("bytes")),
                schema);
        if (tables.isEmpty()) {
            return List.of();
        }
        List<StoreFinding> findings = new ArrayList<>();
        for (Table table : tables) {
            if (table.isBloated()) {
                findings.add(StoreFinding.warning(
                        SUBJECT,
                        "table " + Row.printable(table.name()) + " has about " + table.dead() + " dead rows",
                        "Find out which session holds an old snapshot, and whether autovacuum runs."));
            }
            if (table.name().equals("inbox") && table.live() > MANY) {
                findings.add(StoreFinding.warning(
                        "inbox",
                        "about " + table.live() + " batches wait to be put in order",
                        "Start any instance that publishes or reads: it puts them in order."));
            }
        }
        if (findings.isEmpty()) {
            long dead = tables.stream().mapToLong(Table::dead).sum();
            double mebibytes = tables.stream().mapToLong(Table::bytes).sum() / (double) (1 << 20);
            findings.add(StoreFinding.ok(
                    SUBJECT, String.format(Locale.ROOT, "about %d dead rows in %.1f MiB of tables", dead, mebibytes)));
        }
        return findings;
    }
}
