package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.store.StoreFinding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the role may do: call the log's functions, and nothing else. A role with rights on the
 * tables could break the log's order.
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
              (select count(*) from pg_catalog.pg_proc p
                where p.pronamespace = n.oid and p.prosecdef) as functions,
              (select count(*) from pg_catalog.pg_proc p
                where p.pronamespace = n.oid and p.prosecdef
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

    private record Facts(
            boolean isSuperuser,
            boolean isOwner,
            boolean mayCreate,
            boolean isPublic,
            int tables,
            int functions,
            int refused) {}

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
                        row.getInt("functions"),
                        row.getInt("refused")),
                schema);
        if (found.isEmpty() || found.get().functions() == 0) {
            return List.of(); // The check of the schema says that there is no log.
        }
        List<StoreFinding> findings = new ArrayList<>();
        Facts facts = found.get();
        if (facts.refused() > 0) {
            findings.add(StoreFinding.error(
                    SUBJECT,
                    "the role may not call " + facts.refused() + " of the log's " + facts.functions() + " functions",
                    "Grant it the rights of a client: blobshuffle messaging setup --client-role ROLE --execute."));
        }
        addExcess(facts, findings);
        if (facts.isPublic()) {
            findings.add(StoreFinding.warning(
                    SUBJECT,
                    "every role of the database may use schema " + schema,
                    "Revoke it: revoke all on schema " + schema + " from public."));
        }
        if (findings.isEmpty()) {
            findings.add(StoreFinding.ok(
                    SUBJECT, "the role may call the log's " + facts.functions() + " functions, and has no table"));
        }
        return findings;
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
