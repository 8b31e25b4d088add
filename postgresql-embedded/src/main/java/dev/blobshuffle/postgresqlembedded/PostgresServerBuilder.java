package dev.blobshuffle.postgresqlembedded;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Builds a {@link PostgresServer}. Owned by one thread. */
public final class PostgresServerBuilder {
    private final Map<String, String> settings = new TreeMap<>(Map.of(
            "fsync", "off", // The data must survive the end of a process, not of the machine.
            "listen_addresses", "127.0.0.1",
            "unix_socket_directories", "",
            "shared_buffers", "64MB",
            "max_connections", "100",
            "wal_keep_size", "512MB",
            "lc_messages", "C"));
    private Optional<PostgresRelease> release = Optional.empty();

    PostgresServerBuilder() {}

    /** Runs this release instead of the shipped one. */
    public PostgresServerBuilder release(PostgresRelease chosen) {
        release = Optional.of(chosen);
        return this;
    }

    /** A setting of {@code postgresql.conf}, also for standbys of the server. */
    public PostgresServerBuilder setting(String name, String value) {
        settings.put(name, value);
        return this;
    }

    /** Creates an empty database cluster and starts its server. Blocks until it serves. */
    public PostgresServer start() {
        return PostgresServer.create(release.orElseGet(PostgresRelease::shipped), Map.copyOf(settings));
    }
}
