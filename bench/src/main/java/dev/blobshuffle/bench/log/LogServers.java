package dev.blobshuffle.bench.log;

import dev.blobshuffle.bench.log.LogPlan.Standby;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Servers for a benchmark, with settings as in production: one alone, and one with a synchronous
 * standby that seems to be in another zone. All of them use this machine's disk. Owned by one
 * thread.
 */
public final class LogServers implements AutoCloseable {
    private static final String STANDBY = "standby";

    private final Duration roundTrip;
    private final Deque<DelayedPath> paths = new ArrayDeque<>();
    private final Deque<PostgresServer> servers = new ArrayDeque<>();
    private final Map<Standby, Database> databases = new EnumMap<>(Standby.class);
    private final Map<Standby, List<Long>> pids = new EnumMap<>(Standby.class);

    /**
     * Starts no server yet. Each server is started on first use.
     *
     * @param roundTrip time between the primary and its standby and back; zero: that of this
     *     machine
     */
    public LogServers(Duration roundTrip) {
        this.roundTrip = roundTrip;
    }

    /** The database without or with a standby. */
    Database database(Standby standby) {
        return databases.computeIfAbsent(standby, this::start);
    }

    /** The servers that run, each the parent of its processes. */
    List<Long> pids(Standby standby) {
        return pids.getOrDefault(standby, List.of());
    }

    private Database start(Standby standby) {
        PostgresServer primary = PostgresServer.builder()
                .setting("fsync", "on")
                .setting("shared_buffers", "256MB")
                .setting("max_wal_size", "4GB")
                .setting("max_connections", "1100")
                .start();
        servers.push(primary);
        pids.put(standby, List.of(primary.pid()));
        if (standby == Standby.SYNCHRONOUS) {
            PostgresServer second = primary.startStandby(STANDBY);
            servers.push(second);
            pids.put(standby, List.of(primary.pid(), second.pid()));
            if (!roundTrip.isZero()) {
                moveAway(primary, second);
            }
            primary.requireStandby(STANDBY);
        }
        return new Database(primary.port(), PostgresServer.USER, primary.password());
    }

    private void moveAway(PostgresServer primary, PostgresServer standby) {
        try {
            DelayedPath path = new DelayedPath(primary.port(), roundTrip);
            paths.push(path);
            standby.change(
                    "primary_conninfo",
                    "host=127.0.0.1 port=" + path.port() + " user=" + PostgresServer.USER + " password="
                            + primary.password() + " application_name=" + STANDBY);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot delay the standby: " + e.getMessage() + ".", e);
        }
    }

    @Override
    public void close() {
        servers.forEach(PostgresServer::close);
        paths.forEach(DelayedPath::close);
    }
}
