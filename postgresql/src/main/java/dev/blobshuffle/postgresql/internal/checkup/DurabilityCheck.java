package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.store.StoreFinding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Checks whether an acknowledged commit survives a crash and the loss of the server. */
final class DurabilityCheck implements Check {
    private static final String SUBJECT = "replication";

    private static final String FACTS = """
            select current_setting('fsync')::boolean as is_synced,
              current_setting('full_page_writes')::boolean as has_full_pages,
              current_setting('synchronous_commit') as commit_mode,
              current_setting('synchronous_standby_names') as names,
              pg_catalog.pg_has_role('pg_read_all_stats', 'MEMBER') as is_seen,
              (select count(*) from pg_catalog.pg_stat_replication) as standbys,
              (select count(*) from pg_catalog.pg_stat_replication
                where sync_state in ('sync', 'quorum')) as synchronous""";

    @Override
    public String subject() {
        return SUBJECT;
    }

    private record Facts(
            boolean isSynced,
            boolean hasFullPages,
            String commitMode,
            String names,
            boolean isSeen,
            int standbys,
            int synchronous) {}

    @Override
    public List<StoreFinding> run(Connection database) throws SQLException {
        Facts facts = Row.first(
                        database,
                        FACTS,
                        row -> new Facts(
                                row.getBoolean("is_synced"),
                                row.getBoolean("has_full_pages"),
                                row.getString("commit_mode"),
                                row.getString("names").strip(),
                                row.getBoolean("is_seen"),
                                row.getInt("standbys"),
                                row.getInt("synchronous")))
                .orElseThrow();
        List<StoreFinding> findings = new ArrayList<>();
        if (!facts.isSynced() || !facts.hasFullPages()) {
            findings.add(StoreFinding.error(
                    "durability",
                    "the server runs with " + (facts.isSynced() ? "full_page_writes=off" : "fsync=off")
                            + ": a crash of its machine can destroy the log",
                    "Switch it on."));
        }
        findings.add(replication(facts));
        return findings;
    }

    private static StoreFinding replication(Facts facts) {
        if (facts.names().isEmpty()) {
            return StoreFinding.warning(
                    SUBJECT,
                    facts.standbys() == 0
                            ? "no standby has the log: acknowledged commits are lost with this server's disk"
                            : facts.standbys() + " standbys, none of them synchronous: a failover loses the last"
                                    + " acknowledged commits",
                    "Set synchronous_standby_names. If the service replicates the disk itself before it acknowledges,"
                            + " nothing is to be done.");
        }
        if (facts.commitMode().equals("off")
                || facts.commitMode().equals("local")
                || facts.commitMode().equals("remote_write")) {
            return StoreFinding.warning(
                    SUBJECT,
                    "synchronous_commit is " + facts.commitMode()
                            + " for this role: what an application commits on its own connection can be lost",
                    "Set synchronous_commit to on for the role.");
        }
        if (facts.isSeen() && facts.synchronous() == 0) {
            return StoreFinding.error(
                    SUBJECT,
                    "synchronous_standby_names is set, and no synchronous standby is connected: commits wait for one",
                    "Start the standby, or correct synchronous_standby_names.");
        }
        return StoreFinding.ok(
                SUBJECT,
                facts.isSeen()
                        ? "a commit waits for synchronous standbys, " + facts.synchronous() + " connected"
                        : "a commit waits for synchronous standbys");
    }
}
