package dev.blobshuffle.postgresql.internal.schema;

import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** One running server per release for all tests of this JVM. They end with it. */
final class Servers {
    private static final Map<Integer, PostgresServer> RUNNING = new ConcurrentHashMap<>();

    private Servers() {}

    static PostgresServer of(int major) {
        return RUNNING.computeIfAbsent(
                major,
                release -> PostgresServer.builder()
                        .release(PostgresRelease.of(release))
                        .start());
    }
}
