package dev.blobshuffle.testkit.internal.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A server's process, across restarts on one port. A shell runs it, and kills the server when the
 * shell's standard input closes. So no server outlives this JVM, even if the JVM is killed.
 * Thread-safe.
 */
final class ServerProcess {
    /**
     * The first argument is the log. Prints the server's process id, then waits for the server and
     * for the end of the standard input.
     */
    private static final String SHELL =
            "log=$1; shift; exec 3<&0; \"$@\" </dev/null >>\"$log\" 2>&1 3<&- & server=$!; echo $server;"
                    + " (cat <&3 >/dev/null; kill -KILL $server 2>/dev/null) & watch=$!;"
                    + " wait $server; status=$?; kill $watch; exit $status";

    private static final int ATTEMPTS = 3;
    private static final Duration START_TIMEOUT = Duration.ofSeconds(90);
    private static final Duration END_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(10);
    private static final int ANSWER_TIMEOUT_MILLIS = 2000;
    private static final int SHOWN_CHARACTERS = 2000;

    private final String name;
    private final List<String> command;
    private final int port;
    private final Path log;
    private @Nullable Process shell;
    private long pid;

    private ServerProcess(String name, Path executable, List<String> arguments, int port, Path log) {
        this.name = name;
        this.port = port;
        this.log = log;
        command = new ArrayList<>(List.of("sh", "-c", SHELL, "sh", log.toString(), executable.toString()));
        command.addAll(arguments);
    }

    /**
     * Starts a server on a free port. Another process may take the port first, so a server that
     * ends at once gets another one.
     */
    static ServerProcess start(InstalledServer server, Path log, IntFunction<List<String>> arguments) {
        Path executable = server.require();
        for (int attempt = 1; ; attempt++) {
            int port = FreePort.take();
            ServerProcess process = new ServerProcess(server.name(), executable, arguments.apply(port), port, log);
            try {
                process.launch();
                return process;
            } catch (Ended e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    int port() {
        return port;
    }

    /** Starts the server and waits until it answers. A running server is killed first. */
    synchronized void launch() {
        kill();
        try {
            Process started = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            shell = started;
            pid = readPid(started);
            awaitAnswer(started);
        } catch (IllegalStateException e) {
            kill();
            throw e;
        } catch (IOException e) {
            kill();
            throw new UncheckedIOException(
                    "Cannot start " + name + ": " + e.getMessage() + ". Check the installation.", e);
        }
    }

    /** Ends the server with SIGKILL and waits until it is gone. No effect if it does not run. */
    synchronized void kill() {
        if (shell == null) {
            return;
        }
        try {
            if (shell.isAlive()) {
                signal("KILL");
            }
            awaitEnd(shell);
            shell.getOutputStream().close();
            shell.getInputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot end " + name + ": " + e.getMessage() + ".", e);
        }
        shell = null;
    }

    /** Sends a signal such as STOP or CONT to the server. */
    synchronized void signal(String signal) {
        if (shell == null || !shell.isAlive()) {
            throw new IllegalStateException(
                    "Cannot send " + signal + " to " + name + ": it is not running. Restart it first.");
        }
        try {
            // The shell's own kill: a machine without the procps package has no other.
            awaitEnd(new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid).start());
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot send " + signal + " to " + name + ": " + e.getMessage() + ". A POSIX shell is needed.", e);
        }
    }

    private static long readPid(Process shell) throws IOException {
        BufferedReader lines = shell.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        if (line == null) {
            throw new IOException("the shell printed no process id");
        }
        return Long.parseLong(line);
    }

    private void awaitAnswer(Process started) throws IOException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!answers()) {
            if (!started.isAlive()) {
                throw new Ended("Cannot start " + name + ": it ended with status " + started.exitValue()
                        + ". It printed:\n" + logTail());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("Cannot start " + name + ": no answer on port " + port + " for "
                        + START_TIMEOUT.toSeconds() + " s. It printed:\n" + logTail());
            }
            LockSupport.parkNanos(this, POLL.toNanos());
        }
        if (!started.isAlive()) {
            throw new Ended("Cannot start " + name + ": another process answers on port " + port + ".");
        }
    }

    /** Any answer will do: most servers refuse a request without credentials. */
    private boolean answers() {
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + port + "/").toURL().openConnection();
            connection.setConnectTimeout(ANSWER_TIMEOUT_MILLIS);
            connection.setReadTimeout(ANSWER_TIMEOUT_MILLIS);
            connection.setRequestProperty("Connection", "close");
            return connection.getResponseCode() > 0;
        } catch (IOException e) {
            return false;
        }
    }

    private void awaitEnd(Process process) {
        try {
            if (!process.waitFor(END_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new IllegalStateException(
                        "Cannot end " + name + ": its process " + pid + " does not go. Kill it by hand.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Cannot wait for " + name + ": interrupted. Let the thread wait.", e);
        }
    }

    private String logTail() throws IOException {
        String text = Files.readString(log, StandardCharsets.UTF_8);
        return text.substring(Math.max(0, text.length() - SHOWN_CHARACTERS));
    }

    /** The server ended before it answered. */
    static final class Ended extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        Ended(String message) {
            super(message);
        }
    }
}
