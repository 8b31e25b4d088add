package dev.blobshuffle.bench.log;

import dev.blobshuffle.bench.report.Spread;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts the WAL of commits by one publisher. Commits before the measured ones cause the full-page
 * writes that follow a checkpoint. Owned by one thread.
 */
final class WalRun {
    private static final int COMMITS = 400;
    private static final int WARM_UP = 400;

    /** Commits per sequencing, as with 16 publishers. */
    private static final int TOGETHER = 16;

    private static final String WRITTEN = "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn";

    private final Database database;

    WalRun(Database database) {
        this.database = database;
    }

    WalResult run(LogDesign design, int entryBytes, int round) throws SQLException {
        MeasuredLog log = design.log();
        database.clear();
        try (Connection own = database.connect();
                Connection publishing = database.connect()) {
            log.create(own, Database.SCHEMA);
            byte[] entries = LogCheck.entries(entryBytes, 0);
            List<Double> committing = new ArrayList<>();
            List<Double> sequencing = new ArrayList<>();
            try (MeasuredLog.Commits commits = log.open(publishing, 0)) {
                for (int number = 0; number < WARM_UP + COMMITS; number += TOGETHER) {
                    long before = Database.number(own, WRITTEN);
                    for (int i = 0; i < TOGETHER; i++) {
                        LogCheck.number(entries, number + i);
                        commits.commit(number + i, entries);
                    }
                    long between = Database.number(own, WRITTEN);
                    boolean ignored = log.sequence(own);
                    if (number >= WARM_UP) {
                        committing.add((between - before) / (double) TOGETHER);
                        sequencing.add((Database.number(own, WRITTEN) - between) / (double) TOGETHER);
                    }
                }
            }
            // Medians, because the server sometimes writes other WAL, such as that of a vacuum.
            return new WalResult(
                    design,
                    entryBytes,
                    round,
                    Spread.of(committing).median(),
                    Spread.of(sequencing).median());
        }
    }
}
