package dev.blobshuffle.postgresql.internal.connection;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.text.EditDistance;
import dev.blobshuffle.core.store.StoreParameter;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The parsed setting {@code blobshuffle.log}:
 * {@code postgresql://host[:port][,host…]/database?name=value&…}. It has no credentials. The client
 * connects to the host that is the primary.
 *
 * @param servers the possible servers of the database, one or more
 * @param database name of the database
 * @param schema the tenant's schema
 * @param credentials file with {@code user} and {@code password}; without it, the client uses
 *     libpq's places
 * @param sslMode how the connection is encrypted
 * @param certificates the TLS files
 * @param pooler the kind of pooler between the client and the database
 * @param connections the most connections of the pool
 */
public record PostgresqlUri(
        List<Server> servers,
        String database,
        String schema,
        Optional<Path> credentials,
        SslMode sslMode,
        Certificates certificates,
        Pooler pooler,
        int connections) {

    /**
     * The TLS files.
     *
     * @param authorities PEM file of the trusted authorities; without it, the JVM's trust store
     * @param own PEM file of the client's certificate
     * @param key file of its key, PKCS#8 in DER
     */
    record Certificates(Optional<Path> authorities, Optional<Path> own, Optional<Path> key) {
        /**
         * Checks that the files are there.
         *
         * @throws InvalidSettingsException fatal: one cannot be read
         */
        void requireReadable() {
            Map.of(SSL_ROOT_CERTIFICATE, authorities, SSL_CERTIFICATE, own, SSL_KEY, key)
                    .forEach((name, file) -> file.filter(path -> !Files.isReadable(path))
                            .ifPresent(path -> {
                                throw wrong(name, path.toString(), "a file that exists and can be read");
                            }));
        }
    }

    /** The prefix of the setting's value. */
    public static final String SCHEME = "postgresql://";

    private static final String SCHEMA = "schema";
    private static final String CREDENTIALS = "credentials";
    private static final String SSL_MODE = "sslmode";
    private static final String SSL_ROOT_CERTIFICATE = "sslrootcert";
    private static final String SSL_CERTIFICATE = "sslcert";
    private static final String SSL_KEY = "sslkey";
    private static final String POOLER = "pooler";
    private static final String CONNECTIONS = "connections";

    private static final String DEFAULT_SCHEMA = "blobshuffle";
    private static final int DEFAULT_CONNECTIONS = 8;
    private static final int LEAST_CONNECTIONS = 2;
    private static final int MOST_CONNECTIONS = 256;
    private static final int LONGEST_NAME = 63;

    /** Parameters of other PostgreSQL clients that contain credentials. */
    private static final List<String> SECRETS = List.of("user", "username", "password", "pwd", "passfile");

    /** Only lower case, so that no statement needs to quote it. */
    private static final Pattern SCHEMA_NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    /** The parameters, as the settings reference shows them. */
    public static final List<StoreParameter> PARAMETERS = List.of(
            new StoreParameter(SCHEMA, DEFAULT_SCHEMA, "schema of the log; one per tenant"),
            new StoreParameter(
                    CREDENTIALS,
                    "`PGUSER` (else the user of the process), and the file of `PGPASSFILE`, else `~/.pgpass`",
                    "file with the lines `user=…` and `password=…`, readable by its owner only; read again for each new"
                            + " connection"),
            new StoreParameter(
                    SSL_MODE,
                    "`verify-full`; `prefer` on the loopback interface",
                    "`disable` (on the loopback interface only), `prefer`, `require`, `verify-ca` or `verify-full`"),
            new StoreParameter(SSL_ROOT_CERTIFICATE, "the JVM's trust store", "PEM file of the authorities to trust"),
            new StoreParameter(
                    SSL_CERTIFICATE, "none", "PEM file of the client's certificate; needs `sslkey` and `sslrootcert`"),
            new StoreParameter(SSL_KEY, "none", "the certificate's key, PKCS#8 in DER"),
            new StoreParameter(
                    POOLER,
                    "none",
                    "`transaction`: PgBouncer or its like stands before the server and changes sessions between"
                            + " transactions; then no statement is prepared, and the log is polled"),
            new StoreParameter(
                    CONNECTIONS,
                    String.valueOf(DEFAULT_CONNECTIONS),
                    "the most connections of the pool, " + LEAST_CONNECTIONS + " to " + MOST_CONNECTIONS
                            + "; transactions of the caller have as many again, and one more listens"));

    /** Copies the servers. */
    public PostgresqlUri {
        servers = List.copyOf(servers);
    }

    /**
     * Parses a value of the setting. Messages do not repeat the value, because a wrong value may
     * contain a secret.
     *
     * @throws InvalidSettingsException fatal: the text is malformed, or contains credentials
     */
    public static PostgresqlUri parse(String text) {
        if (!text.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
            throw invalid("it does not begin with " + SCHEME);
        }
        if (text.indexOf('@') >= 0) {
            throw credentialsGiven("it holds a user (@; in the name of a file write %40)");
        }
        if (text.indexOf('#') >= 0) {
            throw invalid("it has a fragment (#)");
        }
        String rest = text.substring(SCHEME.length());
        int question = rest.indexOf('?');
        String query = question < 0 ? "" : rest.substring(question + 1);
        String place = question < 0 ? rest : rest.substring(0, question);
        int slash = place.indexOf('/');
        String database = slash < 0 ? "" : decoded(place.substring(slash + 1));
        if (database.isEmpty() || database.length() > LONGEST_NAME || database.indexOf('/') >= 0) {
            throw invalid("it names no database");
        }
        List<Server> servers = servers(place.substring(0, slash));
        return of(servers, database, parameters(query));
    }

    private static PostgresqlUri of(List<Server> servers, String database, Map<String, String> given) {
        boolean isLocal = servers.stream().allMatch(Server::isLoopback);
        return new PostgresqlUri(
                servers,
                database,
                schema(given.getOrDefault(SCHEMA, DEFAULT_SCHEMA)),
                file(given, CREDENTIALS),
                sslMode(given, isLocal),
                certificates(given),
                pooler(given),
                connections(given));
    }

    private static List<Server> servers(String text) {
        List<Server> servers =
                List.of(text.split(",", -1)).stream().map(PostgresqlUri::server).toList();
        if (servers.stream().distinct().count() < servers.size()) {
            throw invalid("it names a host twice");
        }
        return servers;
    }

    private static Server server(String text) {
        int end = text.startsWith("[") ? text.indexOf(']') + 1 : text.indexOf(':');
        String host = end < 0 || text.startsWith("[") && end == 0 ? text : text.substring(0, end);
        String after = text.substring(host.length());
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        if (!host.matches("[A-Za-z0-9_.:-]+") || !after.isEmpty() && !after.matches(":\\d{1,5}")) {
            throw invalid("a host is not of the form host or host:port");
        }
        int port = after.isEmpty() ? Server.DEFAULT_PORT : Integer.parseInt(after.substring(1));
        if (port < 1 || port > 65_535) {
            throw invalid("a port is not between 1 and 65535");
        }
        return new Server(host, port);
    }

    private static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair : query.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw invalid("a parameter is not of the form name=value");
            }
            String name = decoded(pair.substring(0, equals));
            requireKnown(name);
            if (parameters.put(name, decoded(pair.substring(equals + 1))) != null) {
                throw invalid("parameter '" + name + "' is given twice");
            }
        }
        return parameters;
    }

    private static void requireKnown(String name) {
        List<String> names = PARAMETERS.stream().map(StoreParameter::name).toList();
        if (names.contains(name)) {
            return;
        }
        if (SECRETS.contains(name.toLowerCase(Locale.ROOT))) {
            throw credentialsGiven("it has the parameter '" + name + "'");
        }
        String nearest = names.stream()
                .min(Comparator.comparingInt((String other) -> EditDistance.between(other, name))
                        .thenComparing(Comparator.naturalOrder()))
                .orElseThrow();
        throw new InvalidSettingsException("Cannot use setting blobshuffle.log: " + SCHEME + " has no parameter '"
                + name
                + "'. The nearest is '" + nearest + "'. Known parameters: " + String.join(", ", new TreeSet<>(names))
                + ".");
    }

    private static String schema(String name) {
        if (!SCHEMA_NAME.matcher(name).matches() || name.startsWith("pg_")) {
            throw wrong(SCHEMA, name, "up to 63 lower-case letters, digits and '_', not beginning with pg_");
        }
        return name;
    }

    private static SslMode sslMode(Map<String, String> given, boolean isLocal) {
        String name = given.get(SSL_MODE);
        if (name == null) {
            return isLocal ? SslMode.PREFER : SslMode.VERIFY_FULL;
        }
        SslMode mode = SslMode.named(name)
                .orElseThrow(() -> wrong(SSL_MODE, name, "verify-full, verify-ca, require, prefer or disable"));
        if (mode == SslMode.DISABLE && !isLocal) {
            throw wrong(
                    SSL_MODE,
                    name,
                    "verify-full, because a server is outside the loopback interface. If the network itself encrypts,"
                            + " give prefer");
        }
        return mode;
    }

    private static Certificates certificates(Map<String, String> given) {
        Certificates files =
                new Certificates(file(given, SSL_ROOT_CERTIFICATE), file(given, SSL_CERTIFICATE), file(given, SSL_KEY));
        if (files.own().isPresent() != files.key().isPresent()
                || files.own().isPresent() && files.authorities().isEmpty()) {
            throw invalid("a client's certificate needs sslcert, sslkey and sslrootcert together");
        }
        return files;
    }

    private static Pooler pooler(Map<String, String> given) {
        String name = given.getOrDefault(POOLER, "none");
        return Pooler.named(name).orElseThrow(() -> wrong(POOLER, name, "none or transaction"));
    }

    private static int connections(Map<String, String> given) {
        String text = given.getOrDefault(CONNECTIONS, String.valueOf(DEFAULT_CONNECTIONS));
        int count = text.matches("\\d{1,4}") ? Integer.parseInt(text) : 0;
        if (count < LEAST_CONNECTIONS || count > MOST_CONNECTIONS) {
            throw wrong(CONNECTIONS, text, LEAST_CONNECTIONS + " to " + MOST_CONNECTIONS);
        }
        return count;
    }

    private static Optional<Path> file(Map<String, String> given, String name) {
        try {
            return Optional.ofNullable(given.get(name)).map(Path::of);
        } catch (InvalidPathException e) {
            throw wrong(name, given.getOrDefault(name, ""), "a file");
        }
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw invalid("an escape (%) is not followed by two hexadecimal digits");
        }
    }

    private static InvalidSettingsException wrong(String name, String value, String remedy) {
        return new InvalidSettingsException(
                "Cannot use setting blobshuffle.log: parameter " + name + " is '" + value + "'. Give " + remedy + ".");
    }

    private static InvalidSettingsException credentialsGiven(String reason) {
        return new InvalidSettingsException("Cannot use setting blobshuffle.log: " + reason
                + ", and logs show URIs. Write user and password into a file that only its owner can"
                + " read, and give credentials=FILE; or use PGUSER and PGPASSFILE.");
    }

    private static InvalidSettingsException invalid(String reason) {
        return new InvalidSettingsException("Cannot use setting blobshuffle.log: " + reason
                + ". Give for example postgresql://db.example.com/app?schema=blobshuffle&credentials=/run/secrets/db.");
    }

    /** The address for messages: servers, database and schema. */
    @Override
    public String toString() {
        return SCHEME + String.join(",", servers.stream().map(Server::toString).toList()) + "/" + database + "?schema="
                + schema;
    }
}
