package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.Main;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.entries.EncodedEntries;
import dev.blobshuffle.log.internal.entries.EntriesEncoder;
import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A database on a real server, with a role that owns the log and one for applications. It also runs
 * the commands of messaging on the log.
 */
public final class LogDatabase implements AutoCloseable {
    /** The role of the log's owner. */
    public static final String OWNER = "owner";

    /** The role of applications. */
    public static final String CLIENT = "app";

    private static final String SECRET = "very-secret-indeed";

    /** Numbers the databases of this JVM, because several may be on one server. */
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name = "logs" + COUNT.incrementAndGet();
    private final PostgresServer server;
    private final Path directory;

    private LogDatabase(PostgresServer server, Path directory) {
        this.server = server;
        this.directory = directory;
    }

    /** Output and exit status of a command. */
    public record Outcome(int status, String out, String err) {}

    /** Creates an empty database on the JVM's shared server. */
    public static LogDatabase shared(Path directory) throws SQLException, IOException {
        return over(PostgresServer.shared(PostgresRelease.shipped()), directory);
    }

    /**
     * Creates an empty database on a server, and the roles that the server lacks. Closing the
     * database closes the server.
     */
    public static LogDatabase over(PostgresServer server, Path directory) throws SQLException, IOException {
        LogDatabase database = new LogDatabase(server, directory);
        for (String role : List.of(OWNER, CLIENT)) {
            database.admin("do $$ begin if not exists (select from pg_roles where rolname = '" + role
                    + "') then create role " + role + " login password '" + SECRET + "'; end if; end $$");
            database.writeCredentials(role, SECRET);
        }
        database.admin("create database " + database.name + " owner " + OWNER);
        return database;
    }

    /** Changes a setting of the server, for all sessions. */
    public void change(String name, String value) {
        server.change(name, value);
    }

    void writeCredentials(String role, String password) throws IOException {
        Path file = directory.resolve(role);
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, "user=" + role + "\npassword=" + password + "\n");
    }

    /** The name of the database. */
    public String name() {
        return name;
    }

    /** Runs statements as the superuser, outside a transaction, in database {@code postgres}. */
    public void admin(String... statements) throws SQLException {
        execute("postgres", statements);
    }

    /** Runs statements as the superuser in this database. */
    public void inside(String... statements) throws SQLException {
        execute(name, statements);
    }

    private void execute(String in, String... statements) throws SQLException {
        try (Connection connection = server.connect(in);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    /** The URI of the log for a role. */
    public String uri(String role, String... parameters) {
        return "postgresql://127.0.0.1:" + server.port() + "/" + name + "?credentials=" + directory.resolve(role)
                + Arrays.stream(parameters).map(parameter -> "&" + parameter).reduce("", String::concat);
    }

    /** Creates the log and grants the application role its use. */
    public void setUp() {
        Outcome outcome = run(OWNER, "setup", "--client-role", CLIENT, "--execute");
        if (outcome.status() != 0) {
            throw new AssertionError(outcome);
        }
    }

    /** Runs a command of messaging as a role. */
    public Outcome run(String role, String... arguments) {
        List<String> all = new ArrayList<>(List.of("messaging"));
        all.addAll(Arrays.asList(arguments));
        all.addAll(List.of("--log", uri(role)));
        return command(all.toArray(String[]::new));
    }

    /** Runs a command. */
    public static Outcome command(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        Outcome outcome = new Outcome(status, out.toString(), err.toString());
        if ((outcome.out() + outcome.err()).contains(SECRET)) {
            throw new AssertionError("A password was printed.");
        }
        return outcome;
    }

    /** Commits a batch of plain records to partition 0 and gives it its place in the topic. */
    public void publish(String writer, String topic, String... values) throws Exception {
        try (SystemTime time = new SystemTime();
                CommitLog log = CommitLogs.open(uri(CLIENT), "test", time)) {
            LogTopic found = get(log.topics().find(topic)).orElseThrow();
            EntriesEncoder encoder = new EntriesEncoder(LogBatch.MAX_ENTRIES);
            for (String value : values) {
                encoder.record(0, 1_700_000_000_000L, "k".getBytes(StandardCharsets.UTF_8), bytes(value), Headers.NONE);
            }
            EncodedEntries entries = encoder.finish().get(0);
            Writer opened = get(log.open(writer));
            get(opened.commit(
                    opened.firstNumber(),
                    List.of(new LogBatch(
                            found.number(), entries.entries(), entries.blobs(), entries.bytes(), entries.latest())),
                    Optional.empty()));
            get(log.sequence(found.number()));
        }
    }

    private static byte[] bytes(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    private static <T> T get(java.util.concurrent.CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(2, TimeUnit.MINUTES);
    }

    /** Drops the database, and closes the server unless it is shared. */
    @Override
    public void close() {
        try (server) {
            admin("drop database " + name + " with (force)");
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot drop database " + name + ": " + e.getMessage() + ".", e);
        }
    }
}
