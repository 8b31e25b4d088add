package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Checks the server: version, encoding, settings of the role, and free connections. */
final class ServerCheck implements Check {
    private static final int LEAST_VERSION = 14;
    private static final int PER_MAJOR_VERSION = 10_000;

    private static final String FACTS = """
            select current_setting('server_version_num')::int as version,
              current_setting('server_encoding') as encoding,
              current_setting('transaction_isolation') as isolation,
              current_setting('array_nulls') as nulls,
              current_setting('max_connections')::int
                - current_setting('superuser_reserved_connections')::int as most,
              (select count(*) from pg_catalog.pg_stat_activity where datid is not null) as used,
              (select rolconnlimit from pg_catalog.pg_roles where rolname = current_user) as role_limit""";

    private final PostgresqlUri uri;

    ServerCheck(PostgresqlUri uri) {
        this.uri = uri;
    }

    @Override
    public String subject() {
        return "server";
    }

    private record Facts(
            int version, String encoding, String isolation, String nulls, int most, int used, int roleLimit) {}

    @Override
    public List<StoreFinding> run(Connection database) throws SQLException {
        Facts facts = Row.first(
                        database,
                        FACTS,
                        row -> new Facts(
                                row.getInt("version"),
                                row.getString("encoding"),
                                row.getString("isolation"),
                                row.getString("nulls"),
                                row.getInt("most"),
                                row.getInt("used"),
                                row.getInt("role_limit")))
                .orElseThrow();
        List<StoreFinding> findings = new ArrayList<>();
        findings.add(version(facts.version() / PER_MAJOR_VERSION));
        if (!facts.encoding().equals("UTF8")) {
            findings.add(StoreFinding.warning(
                    "encoding",
                    "the database's encoding is " + facts.encoding()
                            + ": names of topics and groups with other letters are refused",
                    "Use a database with the encoding UTF8."));
        }
        if (!facts.isolation().equals("read committed")) {
            findings.add(StoreFinding.error(
                    "isolation",
                    "transactions of the role begin as " + facts.isolation() + ", and the log needs read committed",
                    "Run alter role ROLE set default_transaction_isolation = 'read committed'."));
        }
        if (!facts.nulls().equals("on")) {
            findings.add(StoreFinding.error(
                    "nulls",
                    "the role's array_nulls is off, and a pooler does not pass on that the log needs it",
                    "Run alter role ROLE set array_nulls = on."));
        }
        findings.add(connections(facts));
        return findings;
    }

    private static StoreFinding version(int major) {
        return major < LEAST_VERSION
                ? StoreFinding.error(
                        "server",
                        "PostgreSQL " + major + " answers, and the log needs " + LEAST_VERSION + " or newer",
                        "Upgrade the server.")
                : StoreFinding.ok("server", "PostgreSQL " + major + " answers, and it is the primary");
    }

    private StoreFinding connections(Facts facts) {
        int most = facts.roleLimit() < 0 ? facts.most() : Math.min(facts.most(), facts.roleLimit());
        String what = facts.used() + " of " + most + " connections are in use, and an instance takes up to "
                + uri.connections();
        return most - facts.used() < uri.connections()
                ? StoreFinding.warning(
                        "connections",
                        what,
                        "Raise max_connections" + (facts.roleLimit() < 0 ? "" : " and the role's connection limit")
                                + ", lower the parameter connections, or use a pooler.")
                : StoreFinding.ok("connections", what);
    }
}
