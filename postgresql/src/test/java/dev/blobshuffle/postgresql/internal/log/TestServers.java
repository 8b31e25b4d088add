package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** One server per release, shared by the tests of this JVM, which give each log its own schema. */
final class TestServers {
    private static final Map<Integer, PostgresServer> SERVERS = new ConcurrentHashMap<>();

    private TestServers() {}

    static PostgresServer of(int release) {
        return SERVERS.computeIfAbsent(
                release,
                major -> PostgresServer.builder()
                        .release(PostgresRelease.of(major))
                        .start());
    }
}
