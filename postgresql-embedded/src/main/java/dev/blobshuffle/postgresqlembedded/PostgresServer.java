package dev.blobshuffle.postgresqlembedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A PostgreSQL server in a separate process, on a free port of the loopback interface, with its
 * data in a temporary directory. You can stop, kill, pause and restart it; each start begins a new
 * life. It ends with the JVM. Thread-safe.
 *
 * <p>The superuser is {@link #USER}, with the server's own password.
 */
public final class PostgresServer implements AutoCloseable {
    /** The superuser. */
    public static final String USER = "postgres";

    /** Guarded by the class. */
    private static final Map<PostgresRelease, PostgresServer> SHARED = new HashMap<>();

    private static final int FIRST_WITH_ITERATIONS = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(20);

    private final PostgresRelease release;
    private final Map<String, String> settings;
    private final Path directory;
    private final String password;
    private final int port;
    private ServerLife life; // guarded by this

    private PostgresServer(
            PostgresRelease release, Map<String, String> settings, Path directory, String password, int port) {
        this.release = release;
        this.settings = settings;
        this.directory = directory;
        this.password = password;
        this.port = port;
        life = ServerLife.begin(command());
        life.awaitReady();
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "postgresql-end-" + port));
    }

    /**
     * The shared server of a release in this JVM, with the default settings, started by the first
     * call. It ends with the JVM, and {@link #close} has no effect on it. Use your own database or
     * schema, and do not stop it or change its settings.
     */
    public static synchronized PostgresServer shared(PostgresRelease release) {
        PostgresServer started = SHARED.get(release);
        if (started == null) {
            started = builder().release(release).start();
            SHARED.put(release, started);
        }
        return started;
    }

    /** A builder of servers. */
    public static PostgresServerBuilder builder() {
        return new PostgresServerBuilder();
    }

    static PostgresServer create(PostgresRelease release, Map<String, String> chosen) {
        Map<String, String> settings = new TreeMap<>(chosen);
        settings.putAll(quickPasswords(release));
        String password = UUID.randomUUID().toString();
        try {
            Path directory =
                    Files.createTempDirectory("blobshuffle-postgresql-data-").toAbsolutePath();
            Path passwordFile = directory.resolve("password");
            Files.writeString(passwordFile, password);
            ServerUser.own(directory);
            List<String> initdb = new ArrayList<>(List.of(
                    release.programs().resolve("initdb").toString(),
                    "--pgdata=" + data(directory),
                    "--username=" + USER,
                    "--auth=scram-sha-256",
                    "--pwfile=" + passwordFile,
                    "--encoding=UTF8",
                    "--locale=C",
                    "--no-sync"));
            quickPasswords(release).forEach((name, value) -> initdb.add("--set=" + name + "=" + value));
            run(initdb);
            return new PostgresServer(release, settings, directory, password, freePort());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot make a database cluster: " + e.getMessage() + ".", e);
        }
    }

    /**
     * Starts a standby that streams from this server, with a copy of its data. Blocks until it
     * serves and streams.
     *
     * @param name its {@code application_name}, for {@code synchronous_standby_names}
     */
    public PostgresServer startStandby(String name) {
        try {
            Path copy =
                    Files.createTempDirectory("blobshuffle-postgresql-data-").toAbsolutePath();
            StandbyCopy.copy(this, data(directory), data(copy));
            String source = "host=127.0.0.1 port=" + port + " user=" + USER + " password=" + password
                    + " application_name=" + name;
            Files.writeString(
                    data(copy).resolve("postgresql.auto.conf"),
                    "primary_conninfo = '" + source + "'\n",
                    StandardCharsets.UTF_8);
            Files.createFile(data(copy).resolve("standby.signal"));
            ServerUser.own(copy);
            PostgresServer standby = new PostgresServer(release, settings, copy, password, freePort());
            await("select 1 from pg_stat_replication where state = 'streaming' and application_name = '" + name + "'");
            return standby;
        } catch (IOException | SQLException e) {
            throw new IllegalStateException("Cannot start standby " + name + ": " + e.getMessage() + ".", e);
        }
    }

    /**
     * Changes a setting while the server runs. Blocks until new sessions use it.
     *
     * @param name a setting that needs no restart
     */
    public void change(String name, String value) {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("alter system set " + statement.enquoteIdentifier(name, false) + " = "
                    + statement.enquoteLiteral(value));
            statement.execute("select pg_reload_conf()");
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot change " + name + ": " + e.getMessage() + ".", e);
        }
        await("select 1 where current_setting('" + name.replace("'", "''") + "') = '" + value.replace("'", "''") + "'");
    }

    /**
     * Makes commits wait for a standby.
     *
     * @param name of the standby
     */
    public void requireStandby(String name) {
        change("synchronous_standby_names", name);
        await("select 1 from pg_stat_replication where sync_state in ('sync', 'quorum') and application_name = '" + name
                + "'");
    }

    /** Promotes a standby to a primary. Blocks until it accepts writes. */
    public void promote() {
        await("select 1 where not pg_is_in_recovery() or pg_promote(true, 60)");
    }

    /** Opens a connection as the superuser. */
    public Connection connect(String database) throws SQLException {
        return connect(database, USER, password);
    }

    /** Opens a connection as another user. */
    public Connection connect(String database, String user, String itsPassword) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", itsPassword);
        properties.setProperty("loginTimeout", "10");
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/" + database, properties);
    }

    /** The port on the loopback interface. It is the same in all lives. */
    public int port() {
        return port;
    }

    /** The password of {@link #USER}. */
    public String password() {
        return password;
    }

    /** The release of the server. */
    public PostgresRelease release() {
        return release;
    }

    /** The process id of the postmaster in this life. */
    public synchronized long pid() {
        return life.pid();
    }

    /** Whether the postmaster runs. */
    public synchronized boolean isRunning() {
        return life.isRunning();
    }

    /** The last output of the server. */
    public synchronized String output() {
        return life.output();
    }

    /** Stops sessions, then the server, gracefully. */
    public synchronized void stop() {
        life.stop();
    }

    /** Kills all processes with SIGKILL. */
    public synchronized void kill() {
        life.kill();
    }

    /** Pauses all processes with SIGSTOP: connections stay open, but the server does not answer. */
    public synchronized void pause() {
        life.pause();
    }

    /** Resumes a paused server. */
    public synchronized void resume() {
        life.resume();
    }

    /** Begins another life with the same data and port. Kills a running server first. */
    public synchronized void restart() {
        life.kill();
        life = ServerLife.begin(command());
        life.awaitReady();
    }

    /**
     * Stops the server immediately and deletes its data. No effect on a shared server. Idempotent.
     */
    @Override
    public void close() {
        if (!isShared()) {
            end();
        }
    }

    private boolean isShared() {
        synchronized (PostgresServer.class) {
            return SHARED.containsValue(this);
        }
    }

    private synchronized void end() {
        life.kill();
        Directories.delete(directory);
    }

    /** Waits until a query finds a row, in a new session each time. */
    void await(String query) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        SQLException last = null;
        while (System.nanoTime() < deadline) {
            try (Connection connection = connect("postgres");
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(query)) {
                if (rows.next()) {
                    return;
                }
            } catch (SQLException e) {
                last = e;
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
        throw new IllegalStateException(
                "Cannot wait for PostgreSQL any longer: no row from " + query + ". It printed:\n" + output(), last);
    }

    /**
     * Settings for fast password checks. A check would take five times as long as the rest of a new
     * connection.
     */
    private static Map<String, String> quickPasswords(PostgresRelease release) {
        return release.major() < FIRST_WITH_ITERATIONS ? Map.of() : Map.of("scram_iterations", "1");
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                release.programs().resolve("postgres").toString(),
                "-D",
                data(directory).toString(),
                "-p",
                "" + port));
        new TreeMap<>(settings).forEach((name, value) -> {
            command.add("-c");
            command.add(name + "=" + value);
        });
        return command;
    }

    private static Path data(Path directory) {
        return directory.resolve("data");
    }

    private static void run(List<String> command) throws IOException {
        Process process = ServerUser.process(command).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(command.get(0) + " failed and printed:\n" + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /**
     * A port that is free now. Another process may take it before the server does. It is below the
     * range for outgoing connections (on Linux from 32768), whose ports other processes take often.
     */
    private static int freePort() throws IOException {
        IOException last = new IOException("no attempt was made");
        for (int attempt = 0; attempt < 200; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(12_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                last = e;
            }
        }
        throw last;
    }
}
