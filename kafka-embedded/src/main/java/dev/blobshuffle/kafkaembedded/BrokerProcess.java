package dev.blobshuffle.kafkaembedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One node of a {@link KafkaProcess} cluster over all its lives. Each life is an operating-system
 * process on the same directory and ports. Thread-safe. State is guarded by {@code this}; the wait
 * for readiness happens outside.
 */
final class BrokerProcess {
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);
    private static final int SHOWN_LINES = 20;

    private final int id;
    private final List<String> command;
    private final Path output;
    private @Nullable Process process;
    private CompletableFuture<Void> ready = new CompletableFuture<>();
    private Duration cpuOfFormerLives = Duration.ZERO;
    private Duration cpuOfThisLife = Duration.ZERO; // at the last measurement

    BrokerProcess(int id, List<String> command, Path output) {
        this.id = id;
        this.command = List.copyOf(command);
        this.output = output;
    }

    /** Begins a new life. Kills a running process first. */
    synchronized void launch() {
        kill();
        cpuOfFormerLives = cpu();
        cpuOfThisLife = Duration.ZERO;
        try {
            Process started = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(output.toFile()))
                    .start();
            CompletableFuture<Void> serving = new CompletableFuture<>();
            Thread reader = new Thread(() -> awaitReadyLine(started, serving), "kafka-process-" + id);
            reader.setDaemon(true);
            reader.start();
            process = started;
            ready = serving;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot start Kafka node " + id + ": " + e.getMessage() + ". Check that " + command.get(0)
                            + " can be executed.",
                    e);
        }
    }

    /**
     * Waits until the broker serves.
     *
     * @param deadline in terms of {@link System#nanoTime}
     * @throws IllegalStateException if the process has exited or the deadline has passed; the
     *     message ends with its last output
     */
    void awaitReady(long deadline) {
        CompletableFuture<Void> serving;
        synchronized (this) {
            serving = ready;
        }
        try {
            serving.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Cannot start Kafka node " + id + ": interrupted. Let the thread wait.", e);
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "Cannot start Kafka node " + id + ": it does not serve in time. Start enough nodes for a quorum, or"
                            + " allow more time. It printed:\n" + outputTail(),
                    e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "Cannot start Kafka node " + id + ": its process ended. It printed:\n" + outputTail(), e);
        }
    }

    /**
     * Kills the process with SIGKILL and waits for its end. No effect on a node that is not
     * running.
     */
    synchronized void kill() {
        if (process != null && process.isAlive()) {
            cpu();
            waitForEnd(process.destroyForcibly(), STOP_TIMEOUT);
        }
    }

    /** Begins a graceful shutdown (SIGTERM). No effect on a node that is not running. */
    synchronized void beginStop() {
        if (process != null && process.isAlive()) {
            signal("CONT");
            // Not Process.destroy: it also closes the process's standard input, which the node
            // takes for the end of its parent.
            signal("TERM");
        }
    }

    /** Waits for the end of a graceful shutdown, and kills a process that does not end in time. */
    synchronized void finishStop() {
        if (process != null && process.isAlive()) {
            cpu();
            if (!waitForEnd(process, STOP_TIMEOUT)) {
                kill();
            }
        }
    }

    /** Sends a signal such as STOP or CONT. */
    synchronized void signal(String name) {
        try {
            // The shell's built-in kill: a machine without the procps package has no other.
            Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid()).start();
            if (!waitForEnd(kill, STOP_TIMEOUT) || kill.exitValue() != 0) {
                throw new IllegalStateException(
                        "Cannot send " + name + " to Kafka node " + id + ": refused. Check that it is running.");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot send " + name + " to Kafka node " + id + ": " + e.getMessage()
                            + ". A POSIX shell is needed.",
                    e);
        }
    }

    synchronized boolean isRunning() {
        return process != null && process.isAlive();
    }

    synchronized long pid() {
        if (process == null || !process.isAlive()) {
            throw new IllegalStateException("Cannot name the process of Kafka node " + id + ": it is not running, "
                    + "output in " + output + ". Restart the node first.");
        }
        return process.pid();
    }

    /**
     * CPU time, user and system, of all lives so far. For an ended life it counts the last
     * measurement.
     */
    synchronized Duration cpu() {
        if (process != null) {
            process.info().totalCpuDuration().ifPresent(seen -> cpuOfThisLife = seen);
        }
        return cpuOfFormerLives.plus(cpuOfThisLife);
    }

    private static void awaitReadyLine(Process process, CompletableFuture<Void> serving) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals(BrokerMain.READY)) {
                    serving.complete(null);
                }
            }
            serving.completeExceptionally(new IllegalStateException("exit status " + process.waitFor()));
        } catch (IOException | InterruptedException e) {
            serving.completeExceptionally(e);
        }
    }

    private static boolean waitForEnd(Process process, Duration timeout) {
        try {
            return process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Cannot wait for a process to end: interrupted. Let the thread wait.", e);
        }
    }

    private String outputTail() {
        try {
            List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
        } catch (IOException e) {
            return "(" + output + " cannot be read: " + e.getMessage() + ")";
        }
    }
}
