package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.postgresql.internal.schema.ClientUse;
import dev.blobshuffle.postgresql.internal.schema.SchemaName;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the role may call the log's functions, or those of some uses, and has no other
 * rights. A role with rights on the tables could break the log's order.
 */
final class RightsCheck implements Check {
    private static final String SUBJECT = "privileges";

    private static final String FACTS = """
            select (select rolsuper from pg_catalog.pg_roles where rolname = current_user) as is_super,
              pg_catalog.pg_has_role(n.nspowner, 'MEMBER') as is_owner,
              pg_catalog.has_schema_privilege(n.oid, 'CREATE') as may_create,
              pg_catalog.has_schema_privilege('public', n.oid, 'USAGE') as is_public,
              (select count(*) from pg_catalog.pg_class c
                where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v')
                  and pg_catalog.has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')) as tables,
              (select pg_catalog.array_agg(coalesce(pg_catalog.obj_description(p.oid, 'pg_proc'), 'all'))
                from pg_catalog.pg_proc p where p.pronamespace = n.oid and p.prosecdef
                  and pg_catalog.has_function_privilege(p.oid, 'EXECUTE')) as allowed,
              (select pg_catalog.array_agg(coalesce(pg_catalog.obj_description(p.oid, 'pg_proc'), 'all'))
                from pg_catalog.pg_proc p where p.pronamespace = n.oid and p.prosecdef
                  and not pg_catalog.has_function_privilege(p.oid, 'EXECUTE')) as refused
            from pg_catalog.pg_namespace n where n.nspname = ?""";

    private final String schema;

    RightsCheck(String schema) {
        this.schema = schema;
    }

    @Override
    public String subject() {
        return SUBJECT;
    }

    /** The uses of each function that the role may call, and of each other function. */
    private record Facts(
            boolean isSuperuser,
            boolean isOwner,
            boolean mayCreate,
            boolean isPublic,
            int tables,
            List<String> allowed,
            List<String> refused) {
        /**
         * Number of missing functions of uses that the role has in part, or that every client
         * needs.
         */
        int lacking() {
            return (int) refused.stream()
                    .filter(use -> allowed.contains(use) || use.equals("all"))
                    .count();
        }

        /** The uses of the role. */
        String uses() {
            return Arrays.stream(ClientUse.values())
                    .map(ClientUse::text)
                    .filter(use -> allowed.contains(use) && !refused.contains(use))
                    .collect(Collectors.joining(", "));
        }
    }

    @Override
    public List<StoreFinding> run(Connection database) throws SQLException {
        Optional<Facts> found = Row.first(
                database,
                FACTS,
                row -> new Facts(
                        row.getBoolean("is_super"),
                        row.getBoolean("is_owner"),
                        row.getBoolean("may_create"),
                        row.getBoolean("is_public"),
                        row.getInt("tables"),
                        texts(row.getArray("allowed")),
                        texts(row.getArray("refused"))),
                schema);
        if (found.isEmpty()
                || found.get().allowed().isEmpty() && found.get().refused().isEmpty()) {
            return List.of(); // The check of the schema reports that there is no log.
        }
        List<StoreFinding> findings = new ArrayList<>();
        Facts facts = found.get();
        if (facts.lacking() > 0 || facts.uses().isEmpty()) {
            findings.add(StoreFinding.error(
                    SUBJECT,
                    "the role may not call " + facts.refused().size() + " of the log's "
                            + (facts.allowed().size() + facts.refused().size()) + " functions",
                    "Grant it the rights of a client: blobshuffle messaging setup --client-role ROLE --execute, and"
                            + " --grant USES if it needs only some."));
        }
        addExcess(facts, findings);
        if (facts.isPublic()) {
            findings.add(StoreFinding.warning(
                    SUBJECT,
                    "every role of the database may use schema " + schema,
                    "Revoke it: revoke all on schema " + SchemaName.quoted(schema) + " from public."));
        }
        if (findings.isEmpty()) {
            findings.add(StoreFinding.ok(
                    SUBJECT, "the role may " + facts.uses() + " by the log's functions, and has no table"));
        }
        return findings;
    }

    private static List<String> texts(@Nullable Array array) throws SQLException {
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }

    private static void addExcess(Facts facts, List<StoreFinding> findings) {
        String excess;
        if (facts.isSuperuser()) {
            excess = "the role is a superuser";
        } else if (facts.isOwner()) {
            excess = "the role owns the log, so it may change its tables";
        } else if (facts.tables() > 0) {
            excess = "the role has rights on " + facts.tables() + " of the log's tables";
        } else if (facts.mayCreate()) {
            excess = "the role may create things in the log's schema";
        } else {
            return;
        }
        findings.add(StoreFinding.warning(
                SUBJECT,
                excess + ": a faulty application could destroy the log",
                "Let applications log in as a client role (blobshuffle messaging setup --client-role ROLE), and run the"
                        + " doctor as that role."));
    }
}
