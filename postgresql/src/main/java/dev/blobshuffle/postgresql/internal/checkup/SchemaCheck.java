package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.postgresql.internal.schema.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Checks whether the schema has a log, and its version. */
final class SchemaCheck implements Check {
    private static final String SUBJECT = "schema";

    private static final String FUNCTIONS = """
            select exists (select from pg_catalog.pg_proc p
                where p.pronamespace = n.oid and p.proname = 'log_info') as has_log,
              pg_catalog.has_schema_privilege(n.oid, 'USAGE') as is_usable
            from pg_catalog.pg_namespace n where n.nspname = ?""";

    private final String schema;
    private final int needed;

    SchemaCheck(String schema, int needed) {
        this.schema = schema;
        this.needed = needed;
    }

    @Override
    public String subject() {
        return SUBJECT;
    }

    private record Facts(boolean hasLog, boolean isUsable) {}

    @Override
    public List<StoreFinding> run(Connection database) throws SQLException {
        Optional<Facts> facts = Row.first(
                database, FUNCTIONS, row -> new Facts(row.getBoolean("has_log"), row.getBoolean("is_usable")), schema);
        if (facts.isEmpty() || !facts.get().hasLog()) {
            return List.of(StoreFinding.error(
                    SUBJECT,
                    facts.isEmpty() ? "there is no schema " + schema : "schema " + schema + " holds no log",
                    "Create the log: blobshuffle messaging setup --execute. Or correct the parameter schema."));
        }
        if (!facts.get().isUsable()) {
            return List.of(StoreFinding.error(
                    SUBJECT,
                    "this role may not use schema " + schema,
                    "Grant it the rights of a client: blobshuffle messaging setup --client-role ROLE --execute."));
        }
        // The parser of the URI has checked the name: letters, digits and '_'.
        int version = Row.first(
                        database,
                        "select version from " + SchemaName.quoted(schema) + ".log_info()",
                        row -> row.getInt(1))
                .orElse(0);
        return List.of(finding(version));
    }

    private StoreFinding finding(int version) {
        String what = "the log in schema " + schema + " has version " + version;
        if (version == needed) {
            return StoreFinding.ok(SUBJECT, what);
        }
        return version < needed
                ? StoreFinding.error(
                        SUBJECT,
                        what + ", and this library needs " + needed,
                        "Upgrade the log: blobshuffle messaging setup --execute.")
                : StoreFinding.error(
                        SUBJECT,
                        what + ", and this library knows versions up to " + needed,
                        "Upgrade the application.");
    }
}
