package dev.blobshuffle.postgresql.internal.log;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A PgBouncer that changes the server's session after each transaction, with fewer of them than
 * clients have connections. Thread-safe.
 */
final class PgBouncer implements AutoCloseable {
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    private final Path directory;
    private final int port;
    private final Process process;

    /** Starts one before a server. Skips the test if PgBouncer is not installed. */
    PgBouncer(int target, String user, String password) {
        Path program = program();
        try {
            directory = Files.createTempDirectory("blobshuffle-pgbouncer-");
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            Files.writeString(directory.resolve("users"), "\"" + user + "\" \"" + password + "\"\n");
            Files.writeString(directory.resolve("ini"), """
                    [databases]
                    * = host=127.0.0.1 port=%d
                    [pgbouncer]
                    listen_addr = 127.0.0.1
                    listen_port = %d
                    unix_socket_dir =
                    auth_type = scram-sha-256
                    auth_file = %s
                    pool_mode = transaction
                    default_pool_size = 3
                    """.formatted(target, port, directory.resolve("users")));
            process = start(program);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitListening();
    }

    private static Path program() {
        List<Path> found = Stream.concat(
                        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)),
                        Stream.of("/usr/sbin"))
                .map(place -> Path.of(place, "pgbouncer"))
                .filter(Files::isExecutable)
                .toList();
        Assumptions.assumeTrue(
                !found.isEmpty(), "Cannot start PgBouncer: it is not installed. Run .ci/install-servers pgbouncer.");
        return found.get(0);
    }

    /** As root it refuses to run; it takes the user's rights itself. */
    private Process start(Path program) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        if (System.getProperty("user.name").equals("root")) {
            directory.toFile().setExecutable(true, false);
            directory.toFile().setReadable(true, false);
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(directory.resolve("ini").toString());
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
    }

    private void awaitListening() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new IllegalStateException("Cannot start PgBouncer. It printed:\n" + log(), e);
                }
                LockSupport.parkNanos(10_000_000);
            }
        }
    }

    /** What it printed. */
    String log() {
        try {
            return Files.readString(directory.resolve("log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            boolean ignored = process.waitFor(10, TimeUnit.SECONDS);
            for (String name : Map.of("users", 1, "ini", 1, "log", 1).keySet()) {
                Files.deleteIfExists(directory.resolve(name));
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
