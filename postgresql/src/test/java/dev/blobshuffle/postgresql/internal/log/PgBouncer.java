package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.testkit.internal.servers.FreePort;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A PgBouncer in transaction mode, with fewer server sessions than the clients have connections.
 * Thread-safe.
 */
final class PgBouncer implements AutoCloseable {
    private final Path directory;
    private final int port;
    private final Process process;

    /** Skips the test if PgBouncer is not installed. */
    static void assumeInstalled() {
        Assumptions.assumeTrue(
                program().isPresent(),
                "Cannot start PgBouncer: it is not installed. Run .ci/install-servers pgbouncer.");
    }

    /** Starts a PgBouncer in front of a server. */
    PgBouncer(int target, String user, String password) {
        try {
            directory = Files.createTempDirectory("blobshuffle-pgbouncer-");
            port = FreePort.take();
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
            process = start(program().orElseThrow());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitListening();
    }

    private static Optional<Path> program() {
        return Stream.concat(
                        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)),
                        Stream.of("/usr/sbin"))
                .map(place -> Path.of(place, "pgbouncer"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** As root it refuses to run, so it switches to the user itself. */
    private Process start(Path program) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        if (System.getProperty("user.name").equals("root")) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            for (String file : List.of("users", "ini")) {
                Files.setPosixFilePermissions(directory.resolve(file), PosixFilePermissions.fromString("rw-r--r--"));
            }
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(directory.resolve("ini").toString());
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
    }

    private void awaitListening() {
        await("PgBouncer listens")
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .failFast(
                        "PgBouncer has ended",
                        () -> assertThat(process.isAlive())
                                .as("PgBouncer, which printed:%n%s", log())
                                .isTrue())
                .until(this::isListening);
    }

    private boolean isListening() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Its output. */
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
            for (String name : List.of("users", "ini", "log")) {
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
