package dev.blobshuffle.testkit.internal.servers;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A real object store for tests: one process on a free port of the loopback address, over a
 * directory. {@code ./mvnw verify} and {@code .ci/install-servers} install the programs. If a
 * program is not installed, starting its server skips the test with the reason; CI fails on a
 * skipped test. The process ends with {@link #close}, and when this JVM ends, however it ends. A
 * test that neither ends nor pauses its server uses the one that the JVM shares. Thread-safe.
 */
public abstract sealed class StoreServer implements AutoCloseable permits VersityGateway, FakeGcsServer, Azurite {
    private final ServerProcess process;
    private volatile boolean isShared;

    /**
     * Starts a server and waits until it answers.
     *
     * @param server the program to run
     * @param log the file for the server's output
     * @param arguments the command's arguments for a port
     */
    StoreServer(InstalledServer server, Path log, IntFunction<List<String>> arguments) {
        process = ServerProcess.start(server, log, arguments);
    }

    /** Where the server listens, without a path: {@code http://127.0.0.1:PORT}. */
    public final URI endpoint() {
        return URI.create("http://127.0.0.1:" + process.port());
    }

    /** Ends the process at once with SIGKILL; connections break, then are refused. */
    public final void kill() {
        requireOwn("kill");
        process.kill();
    }

    /**
     * Starts the server again on its port and directory, and waits until it answers; one that runs
     * is killed first.
     */
    public final void restart() {
        requireOwn("restart");
        process.launch();
    }

    /** Freezes the process with SIGSTOP: its connections stay open and nothing answers. */
    public final void pause() {
        requireOwn("pause");
        process.signal("STOP");
    }

    /** Lets a frozen process go on. */
    public final void resume() {
        process.signal("CONT");
    }

    /** Kills the process, unless the JVM shares it. Idempotent. */
    @Override
    public final void close() {
        if (!isShared) {
            process.kill();
        }
    }

    /** Shares the server with all tests of this JVM. The server ends with the JVM. */
    final void share(Path directory) {
        isShared = true;
        SharedDirectory.endWithTheJvm(this, directory);
    }

    final void end() {
        process.kill();
    }

    private void requireOwn(String verb) {
        if (isShared) {
            throw new IllegalStateException(
                    "Cannot " + verb + " a server that other tests share. Start one of your own.");
        }
    }
}
