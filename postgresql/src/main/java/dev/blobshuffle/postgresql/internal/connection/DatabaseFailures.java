package dev.blobshuffle.postgresql.internal.connection;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/**
 * Translates failures of the database by SQLSTATE. While a log is being opened, a refusal that
 * lasts until an operator acts becomes {@link InvalidSettingsException}. Later it counts as
 * unavailability, because the operator can restore a permission. Only a publisher that begins and
 * a member of a group report it as such. Stateless.
 */
public final class DatabaseFailures {
    /** A statement that writes, on a standby or a demoted primary. */
    static final String READ_ONLY = "25006";

    /** The effect of a pooler on a client that mistakes it for a server. */
    private static final String POOLED = "a pooler stands before the server and changes its session between"
            + " transactions. Add the parameter pooler=transaction to blobshuffle.log, or connect to the server itself";

    /** The start of a pooler's answer to a parameter that it does not pass on. */
    private static final String UNSUPPORTED = "unsupported startup parameter";

    /** The effect of a name, or another text, that the database's encoding does not have. */
    private static final String ENCODING = "the database's encoding cannot hold a name or text of this call. Use a"
            + " database with the encoding UTF8, or other names";

    /** Reason and remedy of lasting refusals, by SQLSTATE. */
    private static final Map<String, String> REFUSALS = Map.ofEntries(
            Map.entry("26000", POOLED),
            Map.entry("42P05", POOLED),
            Map.entry("22P05", ENCODING),
            Map.entry("22021", ENCODING),
            Map.entry("28P01", "the server refused the password. Correct the credentials"),
            Map.entry(
                    "28000",
                    "the server refused the user or the way it connects. Correct the credentials, the parameters"
                            + " sslmode and sslcert, or pg_hba.conf"),
            Map.entry("3D000", "the database does not exist. Create it, or correct the setting blobshuffle.log"),
            Map.entry(
                    "3F000",
                    "the schema does not exist. Run blobshuffle messaging setup, or correct the parameter schema"),
            Map.entry("42P01", "the schema holds no log, or an older one. Run blobshuffle messaging setup"),
            Map.entry("42883", "the schema holds no log, or an older one. Run blobshuffle messaging setup"),
            Map.entry(
                    "42501",
                    "the role may not do this. Grant it what it needs to publish, to subscribe or to administer: run"
                            + " blobshuffle messaging setup with --client-role and --grant"));

    /** Reason and remedy of temporary states, by SQLSTATE. */
    private static final Map<String, String> PASSING = Map.ofEntries(
            Map.entry(
                    READ_ONLY,
                    "the server is read-only: it is a standby, or default_transaction_read_only is on. Name all servers"
                            + " of the cluster in blobshuffle.log, or turn that setting off"),
            Map.entry(
                    "53300",
                    "the server has no free connection. Raise max_connections, lower the parameter connections, or use a"
                            + " pooler"),
            Map.entry("53100", "the server's disk is full. Free or add space"),
            Map.entry("58030", "the server cannot read or write a file. Check its disk"),
            Map.entry(
                    "XX000",
                    "the server met an internal error, as it does at a start of a session when its disk is full. Look"
                            + " into its log"),
            Map.entry("53200", "the server is out of memory. Try again"),
            Map.entry("57014", "the statement took too long, so the server cancelled it. Try again"),
            Map.entry("57P01", "the server is shutting down. Try again"),
            Map.entry("57P02", "the server crashed. Try again"),
            Map.entry("57P03", "the server is starting. Try again"),
            Map.entry("25P03", "the transaction was idle for too long. Try again"),
            Map.entry("25P04", "the transaction took too long (transaction_timeout). Try again"),
            Map.entry("40P01", "transactions wait for each other. Try again"),
            Map.entry("55P03", "a lock is held by another transaction. Try again"),
            Map.entry("40001", "a concurrent transaction changed the same rows. Try again"));

    private static final int MOST_CAUSES = 8;

    private DatabaseFailures() {}

    /**
     * The failure of a call to an open log.
     *
     * @param action what failed, as in "read the log"
     * @param where the database, without secrets
     */
    public static LogUnavailableException later(String action, PostgresqlUri where, SQLException cause) {
        return new LogUnavailableException(message(action, where, cause), cause);
    }

    /** As {@link #later}, while a log is being opened. */
    public static BlobShuffleException atOpen(String action, PostgresqlUri where, SQLException cause) {
        return isRefusal(cause)
                ? new InvalidSettingsException(message(action, where, cause), cause)
                : later(action, where, cause);
    }

    /** Whether the server refuses until an operator acts. */
    public static boolean isRefusal(SQLException failure) {
        return TlsRefusal.of(failure).isPresent() || isOfPooler(failure) || REFUSALS.containsKey(state(failure));
    }

    private static boolean isOfPooler(SQLException failure) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < MOST_CAUSES; depth++) {
            if (String.valueOf(at.getMessage()).contains(UNSUPPORTED)) {
                return true;
            }
            at = at.getCause();
        }
        return false;
    }

    /** Whether the connection to the server is broken, so that no later call can use it. */
    public static boolean isDisconnected(SQLException failure) {
        String state = state(failure);
        return state.startsWith("08") || state.startsWith("57P") || state.equals("25P03") || state.equals("25P04");
    }

    /** Whether the server refuses to write because it is not, or no longer, the primary. */
    public static boolean isReadOnly(SQLException failure) {
        return state(failure).equals(READ_ONLY);
    }

    /**
     * The SQLSTATE of a failure, or of the first of its causes that has one; empty if none has. A
     * pool reports a timeout, whose cause has the reason.
     */
    public static String state(SQLException failure) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < MOST_CAUSES; depth++) {
            if (at instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
            at = at.getCause();
        }
        return "";
    }

    private static String message(String action, PostgresqlUri where, SQLException cause) {
        String state = state(cause);
        String reason = TlsRefusal.of(cause)
                .or(() -> isOfPooler(cause) ? Optional.of(POOLED) : Optional.empty())
                .or(() -> Optional.ofNullable(REFUSALS.get(state)))
                .or(() -> Optional.ofNullable(PASSING.get(state)))
                .orElse(
                        state.startsWith("08") || state.isEmpty()
                                ? "no connection to a primary. Check that the servers run and can be reached, and that"
                                        + " one of them is neither a standby nor read-only"
                                        + " (default_transaction_read_only)"
                                : "the server reports " + state + ". See the cause");
        return "Cannot " + action + " in " + where + ": " + reason + ".";
    }
}
