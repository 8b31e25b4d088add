package dev.blobshuffle.postgresql.internal.connection;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the user and the password, from a file for this log or from libpq's places. It reads again
 * for each new connection, so a changed password needs no restart. Messages contain nothing from
 * the files. Thread-safe.
 */
final class CredentialsSource {
    private static final int LONGEST_FILE = 1 << 20;
    private static final String USER = "user";
    private static final String PASSWORD = "password";

    private final PostgresqlUri uri;
    private final Map<String, String> environment;
    private final Map<String, String> properties;

    private CredentialsSource(PostgresqlUri uri, Map<String, String> environment, Map<String, String> properties) {
        this.uri = uri;
        this.environment = Map.copyOf(environment);
        this.properties = Map.copyOf(properties);
    }

    /** The source that a URI names, for this process. */
    static CredentialsSource of(PostgresqlUri uri) {
        return of(
                uri,
                System.getenv(),
                Map.of(
                        "user.home", System.getProperty("user.home", ""),
                        "user.name", System.getProperty("user.name", "")));
    }

    /**
     * The source that a URI names.
     *
     * @param environment variables of the process
     * @param properties the JVM's {@code user.home} and {@code user.name}
     */
    static CredentialsSource of(PostgresqlUri uri, Map<String, String> environment, Map<String, String> properties) {
        return new CredentialsSource(uri, environment, properties);
    }

    /**
     * Reads the credentials.
     *
     * @throws InvalidSettingsException fatal at start: a file is missing, malformed, or readable by
     *     others
     */
    Credentials read() {
        return uri.credentials().map(CredentialsSource::ofFile).orElseGet(this::asLibpqDoes);
    }

    private static Credentials ofFile(Path file) {
        Optional<String> user = Optional.empty();
        Optional<String> password = Optional.empty();
        for (String line : lines(file)) {
            int equals = line.indexOf('=');
            String name = equals < 0 ? "" : line.substring(0, equals).strip();
            String value = line.substring(equals + 1);
            if (name.equals(USER) && user.isEmpty() && !value.isBlank()) {
                user = Optional.of(value.strip());
            } else if (name.equals(PASSWORD) && password.isEmpty()) {
                password = Optional.of(value);
            } else if (!line.isBlank() && !line.startsWith("#")) {
                throw malformed(file, "a line is not one of these two, or is there twice");
            }
        }
        if (user.isEmpty()) {
            throw malformed(file, "it has no user");
        }
        return new Credentials(user.get(), password);
    }

    private Credentials asLibpqDoes() {
        String user = environment.getOrDefault("PGUSER", properties.getOrDefault("user.name", ""));
        if (user.isEmpty()) {
            throw new InvalidSettingsException(
                    "Cannot log in to " + uri + ": there is no user. Give credentials=FILE or PGUSER.");
        }
        if (environment.containsKey("PGPASSWORD")) {
            return new Credentials(user, Optional.of(environment.get("PGPASSWORD")));
        }
        String given = environment.get("PGPASSFILE");
        Path file = given == null ? Path.of(properties.getOrDefault("user.home", ""), ".pgpass") : Path.of(given);
        if (given == null && !Files.exists(file)) {
            return new Credentials(user, Optional.empty());
        }
        return new Credentials(user, passwordOf(user, lines(file)));
    }

    /** The password of the first line that matches a server of the URI, as in libpq. */
    private Optional<String> passwordOf(String user, List<String> lines) {
        for (String line : lines) {
            List<String> fields = fields(line);
            if (line.startsWith("#") || fields.size() < 5) {
                continue;
            }
            boolean isServer = uri.servers().stream()
                    .anyMatch(server ->
                            fits(fields.get(0), server.host()) && fits(fields.get(1), String.valueOf(server.port())));
            if (isServer && fits(fields.get(2), uri.database()) && fits(fields.get(3), user)) {
                return Optional.of(fields.get(4));
            }
        }
        return Optional.empty();
    }

    /** {@code host:port:database:user:password}; a backslash before ':' and '\'. */
    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        for (int at = 0; at < line.length(); at++) {
            char letter = line.charAt(at);
            if (letter == ':') {
                fields.add(field.toString());
                field.setLength(0);
            } else if (letter == '\\' && at + 1 < line.length()) {
                at++;
                field.append(line.charAt(at));
            } else {
                field.append(letter);
            }
        }
        fields.add(field.toString());
        return fields;
    }

    private static boolean fits(String pattern, String value) {
        return pattern.equals("*") || pattern.equals(value);
    }

    private static List<String> lines(Path file) {
        try {
            PrivateFiles.check(file);
            if (Files.size(file) > LONGEST_FILE) {
                throw malformed(file, "it is longer than " + LONGEST_FILE + " bytes");
            }
            return Files.readAllLines(file);
        } catch (IOException e) {
            // Without the cause: the message of a failed decoder may contain what it read.
            throw new InvalidSettingsException("Cannot read the credentials of the commit log from " + file + ": "
                    + e.getClass().getSimpleName() + ". Check that the file is there, and that this process may read"
                    + " it.");
        }
    }

    private static InvalidSettingsException malformed(Path file, String reason) {
        return new InvalidSettingsException(
                "Cannot use the credentials in " + file + ": " + reason + ". Write two lines, user=… and password=….");
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return "CredentialsSource[" + uri + "]";
    }
}
