package dev.blobshuffle.postgresql.internal.schema;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.nio.charset.StandardCharsets;

/**
 * The name of a schema or a role, with any characters that PostgreSQL allows in quotes.
 *
 * @param text the name itself, without quotes
 */
public record SchemaName(String text) {
    /**
     * Until the transaction ends, names without a schema are PostgreSQL's own. Another role may
     * have created a function or an operator whose types fit better, in a schema of the search
     * path. The setup and the checks would call it with their own rights.
     */
    public static final String OWN_NAMES_ONLY = "set local search_path to pg_catalog, pg_temp";

    private static final int MOST_BYTES = 63;

    /** Checks for text that PostgreSQL would reject or cut. */
    public SchemaName {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (text.isBlank() || bytes > MOST_BYTES || text.indexOf('\0') >= 0) {
            throw new InvalidSettingsException("Cannot use '" + text + "' as a name in PostgreSQL: it has " + bytes
                    + " bytes and must have 1 to " + MOST_BYTES + ", none of them zero. Choose another name.");
        }
    }

    /** The name in SQL: in quotes. */
    public String quoted() {
        return quoted(text);
    }

    /** A name in SQL: in quotes, because it may be a word of SQL, such as {@code user}. */
    public static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
