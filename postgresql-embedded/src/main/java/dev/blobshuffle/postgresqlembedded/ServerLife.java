package dev.blobshuffle.postgresqlembedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One life of a server: the postmaster process with its children, from start to end. A second
 * process kills the postmaster if this JVM dies. Thread-safe.
 */
final class ServerLife {
    private static final long MOST_SECONDS = 60;
    private static final int SHOWN_LINES = 30;
    private static final String READY = "database system is ready to accept ";

    private final Process postmaster;
    private final Process guard;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final Deque<String> lastLines = new ArrayDeque<>(); // guarded by itself

    private ServerLife(Process postmaster, Process guard) {
        this.postmaster = postmaster;
        this.guard = guard;
    }

    /** Starts a postmaster. */
    static ServerLife begin(List<String> command) {
        try {
            Process postmaster = ServerUser.process(command).start();
            // Its standard input ends when this JVM does.
            Process guard = new ProcessBuilder("sh", "-c", "cat > /dev/null; kill -KILL " + postmaster.pid())
                    .redirectErrorStream(true)
                    .start();
            ServerLife life = new ServerLife(postmaster, guard);
            Thread reader = new Thread(life::readOutput, "postgresql-" + postmaster.pid());
            reader.setDaemon(true);
            reader.start();
            return life;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot start PostgreSQL: " + e.getMessage() + ".", e);
        }
    }

    /**
     * Waits until the server accepts connections.
     *
     * @throws IllegalStateException if the server ends before; the message has its last output
     */
    void awaitReady() {
        try {
            ready.get(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Cannot start PostgreSQL: interrupted. Let the thread wait.", e);
        } catch (ExecutionException | TimeoutException e) {
            kill();
            throw new IllegalStateException("Cannot start PostgreSQL: it does not serve. It printed:\n" + output(), e);
        }
    }

    boolean isRunning() {
        return postmaster.isAlive();
    }

    long pid() {
        return postmaster.pid();
    }

    /** The last output of the server. */
    String output() {
        synchronized (lastLines) {
            return String.join("\n", lastLines);
        }
    }

    /** Stops sessions and the server (SIGINT), and kills processes that do not end. */
    void stop() {
        resume();
        signal("INT", List.of(postmaster.toHandle()));
        if (!hasEnded(postmaster.onExit())) {
            kill();
        }
        guard.destroyForcibly();
    }

    /** Kills all processes (SIGKILL) at the same time, so no session finishes anything. */
    void kill() {
        guard.destroyForcibly();
        if (!postmaster.isAlive()) {
            return;
        }
        List<ProcessHandle> all = stopped();
        signal("KILL", all);
        hasEnded(postmaster.onExit()); // Before that, the Process reports that it is alive.
        all.forEach(ServerLife::awaitGone);
    }

    private static void awaitGone(ProcessHandle process) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS / 2);
        try {
            while (!isGone(process) && System.nanoTime() - deadline < 0) {
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Whether a process has ended. In a container whose first process does not wait for orphans, a
     * killed process stays as a zombie, for which {@link ProcessHandle#onExit()} would wait.
     */
    static boolean isGone(ProcessHandle process) {
        if (!process.isAlive()) {
            return true;
        }
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.startsWith(" Z", stat.lastIndexOf(')') + 1); // proc_pid_stat(5)
        } catch (IOException e) {
            return !process.isAlive(); // It has just ended, or the system has no such file.
        }
    }

    /** Pauses all processes (SIGSTOP): connections stay open, but the server does not answer. */
    void pause() {
        stopped();
    }

    /** Resumes a paused server (SIGCONT). */
    void resume() {
        signal("CONT", processes());
    }

    /**
     * Pauses all processes and returns them. The postmaster is first, so it cannot fork further
     * children.
     */
    private List<ProcessHandle> stopped() {
        signal("STOP", List.of(postmaster.toHandle()));
        List<ProcessHandle> all = processes();
        signal("STOP", all);
        return all;
    }

    private List<ProcessHandle> processes() {
        List<ProcessHandle> all = new ArrayList<>(postmaster.children().toList());
        all.add(postmaster.toHandle());
        return all;
    }

    private static void signal(String name, List<ProcessHandle> to) {
        StringBuilder command = new StringBuilder("kill -" + name);
        to.forEach(process -> command.append(' ').append(process.pid()));
        try {
            // The shell's built-in kill: a machine without the procps package has no other. A
            // process may have just ended, so the exit status does not matter.
            new ProcessBuilder("sh", "-c", command + " 2> /dev/null").start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot send " + name + " to PostgreSQL: " + e.getMessage() + ". A POSIX shell is needed.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Cannot signal PostgreSQL: interrupted. Let the thread wait.", e);
        }
    }

    private static boolean hasEnded(CompletableFuture<?> end) {
        try {
            end.get(MOST_SECONDS / 2, TimeUnit.SECONDS);
            return true;
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("Cannot wait for PostgreSQL to end: interrupted. Let the thread wait.", e);
    }

    private void readOutput() {
        try (BufferedReader lines = postmaster.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (lastLines) {
                    lastLines.addLast(line);
                    if (lastLines.size() > SHOWN_LINES) {
                        lastLines.removeFirst();
                    }
                }
                if (line.contains(READY)) {
                    ready.complete(null);
                }
            }
            ready.completeExceptionally(new IllegalStateException("exit status " + postmaster.waitFor()));
        } catch (IOException | InterruptedException e) {
            ready.completeExceptionally(e);
        }
    }
}
