package dev.blobshuffle.testkit.internal.servers;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A real object store for tests: one process on a free port of the loopback address, over a
 * directory that the test gives. {@code .ci/install-servers} installs what they run; where that was
 * not done, starting one skips the test (and CI fails on a skipped test). The process ends with
 * {@link #close}, and when this JVM ends, however it ends. Thread-safe.
 */
public abstract sealed class StoreServer implements AutoCloseable permits VersityGateway, FakeGcsServer, Azurite {
    private final ServerProcess process;

    /**
     * Starts a server and waits until it answers.
     *
     * @param name the executable, as it is installed
     * @param log the file for what the server prints
     * @param arguments the command's arguments for a port
     */
    StoreServer(String name, Path log, IntFunction<List<String>> arguments) {
        process = ServerProcess.start(name, log, arguments);
    }

    /** Where the server listens, without a path: {@code http://127.0.0.1:PORT}. */
    public final URI endpoint() {
        return URI.create("http://127.0.0.1:" + process.port());
    }

    /** Ends the process at once with SIGKILL; connections break, then are refused. */
    public final void kill() {
        process.kill();
    }

    /**
     * Starts the server again on its port and directory, and waits until it answers; one that runs
     * is killed first.
     */
    public final void restart() {
        process.launch();
    }

    /** Freezes the process with SIGSTOP: its connections stay open and nothing answers. */
    public final void pause() {
        process.signal("STOP");
    }

    /** Lets a frozen process go on. */
    public final void resume() {
        process.signal("CONT");
    }

    /** Kills the process. Idempotent. */
    @Override
    public final void close() {
        process.kill();
    }
}
