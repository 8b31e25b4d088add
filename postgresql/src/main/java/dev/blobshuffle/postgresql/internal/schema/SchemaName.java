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
     * Lets names without a schema be PostgreSQL's own until the transaction ends. Otherwise whoever
     * sets up or checks a log could call a function or an operator that another role has created in
     * a schema of the search path, because its types fit better.
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
