package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.postgresql.internal.connection.ConnectionPool;
import dev.blobshuffle.postgresql.internal.connection.DatabaseFailures;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks whether a database is fit for a commit log, with the rights of the role that logs in.
 * Facts that this role may not see are reported as unknown. Writes nothing. Owned by one thread.
 */
public final class LogCheckup {
    private static final String ACTION = "check the log";

    private final PostgresqlUri uri;
    private final int version;
    private final Time time;

    /**
     * A check-up of one log.
     *
     * @param version of the schema that this library needs
     */
    public LogCheckup(PostgresqlUri uri, int version, Time time) {
        this.uri = uri;
        this.version = version;
        this.time = time;
    }

    /**
     * Runs all checks.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException the server refused the login,
     *     or the database does not exist
     * @throws dev.blobshuffle.log.failure.LogUnavailableException no primary answered
     */
    public List<StoreFinding> run() {
        List<StoreFinding> findings = new ArrayList<>();
        try (ConnectionPool pool = ConnectionPool.open(uri, "blobshuffle-doctor", DatabaseTimeouts.DEFAULT);
                Connection database = pool.session(ACTION)) {
            for (Check check : checks(pool)) {
                add(check, database, findings);
            }
        } catch (SQLException e) {
            throw DatabaseFailures.later(ACTION, uri, e);
        }
        return findings;
    }

    private List<Check> checks(ConnectionPool pool) {
        return List.of(
                new ServerCheck(uri),
                new PoolerCheck(uri, () -> pool.session(ACTION)),
                new ClockCheck(time),
                new SchemaCheck(uri.schema(), version),
                new RightsCheck(uri.schema()),
                new DurabilityCheck(),
                new BloatCheck(uri.schema()),
                new SnapshotCheck(SnapshotCheck.TOLERATED));
    }

    private static void add(Check check, Connection database, List<StoreFinding> findings) {
        try {
            findings.addAll(check.run(database));
        } catch (SQLException e) {
            findings.add(StoreFinding.unknown(
                    check.subject(), "the database refused the question with " + DatabaseFailures.state(e)));
        } catch (BlobShuffleException e) {
            findings.add(StoreFinding.unknown(check.subject(), String.valueOf(e.getMessage())));
        }
    }
}
