package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.store.StoreFinding;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks what keeps the server from removing dead rows: transactions, prepared transactions and
 * replication slots that hold an old snapshot.
 */
final class SnapshotCheck implements Check {
    private static final String SUBJECT = "snapshots";

    /** Longer than harmless work takes. */
    static final Duration TOLERATED = Duration.ofMinutes(10);

    private static final String TRANSACTIONS = """
            select pid, coalesce(application_name, '') as name,
              extract(epoch from pg_catalog.clock_timestamp() - xact_start)::bigint as seconds
            from pg_catalog.pg_stat_activity
            where backend_xmin is not null and xact_start is not null and pid <> pg_catalog.pg_backend_pid()
            order by pg_catalog.age(backend_xmin) desc, xact_start limit 1""";

    private static final String PREPARED = """
            select gid, extract(epoch from pg_catalog.clock_timestamp() - prepared)::bigint as seconds
            from pg_catalog.pg_prepared_xacts where database = current_database() order by prepared limit 1""";

    private static final String SLOTS = """
            select slot_name from pg_catalog.pg_replication_slots where not active order by slot_name limit 1""";

    private final Duration tolerated;

    /**
     * A check.
     *
     * @param tolerated how long a snapshot may be held, in whole seconds of the server's clock
     */
    SnapshotCheck(Duration tolerated) {
        this.tolerated = tolerated;
    }

    @Override
    public String subject() {
        return SUBJECT;
    }

    private record Holder(String name, Duration time) {}

    @Override
    public List<StoreFinding> run(Connection database) throws SQLException {
        List<StoreFinding> findings = new ArrayList<>();
        Optional<Holder> oldest = Row.first(
                database,
                TRANSACTIONS,
                row -> new Holder(
                        "process " + row.getInt("pid") + " (" + Row.printable(row.getString("name")) + ")",
                        Duration.ofSeconds(row.getLong("seconds"))));
        oldest.filter(this::isLong).ifPresent(holder -> findings.add(held(holder)));
        Row.first(
                        database,
                        PREPARED,
                        row -> new Holder(
                                "prepared transaction " + Row.printable(row.getString("gid")),
                                Duration.ofSeconds(row.getLong("seconds"))))
                .filter(this::isLong)
                .ifPresent(holder -> findings.add(held(holder)));
        Row.first(database, SLOTS, row -> Row.printable(row.getString("slot_name")))
                .ifPresent(slot -> findings.add(StoreFinding.warning(
                        SUBJECT,
                        "replication slot " + slot + " is not in use: the server keeps its WAL until the disk is full",
                        "Start its reader, or drop the slot.")));
        if (findings.isEmpty()) {
            findings.add(
                    mayRead(database)
                            ? StoreFinding.ok(
                                    SUBJECT,
                                    oldest.map(holder -> "the oldest is "
                                                    + holder.time().toSeconds() + " s old")
                                            .orElse("nothing holds one"))
                            : StoreFinding.hint(
                                    SUBJECT,
                                    "this role sees only its own transactions",
                                    "Grant it pg_read_all_stats, or run the doctor as an administrator."));
        }
        return findings;
    }

    private static boolean mayRead(Connection database) throws SQLException {
        return Row.first(
                        database,
                        "select pg_catalog.pg_has_role('pg_read_all_stats', 'MEMBER')",
                        row -> row.getBoolean(1))
                .orElse(false);
    }

    private boolean isLong(Holder holder) {
        return holder.time().compareTo(tolerated) > 0;
    }

    private static StoreFinding held(Holder holder) {
        return StoreFinding.warning(
                SUBJECT,
                holder.name() + " has held one for " + holder.time().toMinutes()
                        + " min: no dead row of the log can be removed",
                "End it, and set idle_in_transaction_session_timeout.");
    }
}
