package dev.blobshuffle.bench.demo.messaging;

import dev.blobshuffle.bench.demo.DemoFailedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A publisher or a subscriber as an operating-system process. It ends when this JVM ends. */
final class ChildProcess {
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration STOP = Duration.ofSeconds(90);
    private static final int SHOWN_LINES = 25;

    /** The credentials for a simulated S3, which checks no signature. */
    private static final List<String> CREDENTIALS = List.of("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY");

    private final String life;
    private final Process process;
    private final Path log;
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();

    private ChildProcess(String life, Process process, Path log) {
        this.life = life;
        this.process = process;
        this.log = log;
    }

    /** Starts a child; returns at once. */
    static ChildProcess start(Class<?> main, ChildSettings settings) {
        Path log = settings.directory().resolve(settings.life() + ".log");
        try {
            ProcessBuilder builder = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx256m",
                            "-XX:+UseSerialGC",
                            // The process is too short-lived for the optimizing compiler to pay
                            // off.
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+ExitOnOutOfMemoryError",
                            "-cp",
                            System.getProperty("java.class.path"),
                            main.getName(),
                            settings.write().toString())
                    .redirectError(log.toFile());
            CREDENTIALS.forEach(name -> builder.environment().putIfAbsent(name, "blobshuffle-demo"));
            ChildProcess child = new ChildProcess(settings.life(), builder.start(), log);
            Thread reader = new Thread(child::listen, "demo-" + settings.life());
            reader.setDaemon(true);
            reader.start();
            return child;
        } catch (IOException e) {
            throw new DemoFailedException("Cannot start " + settings.life() + ": " + e + ". Check memory and disk.", e);
        }
    }

    private void listen() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals(ParentWatch.READY)) {
                    ready.complete(true);
                }
            }
        } catch (IOException e) {
            // It has ended, see below.
        }
        ready.complete(false);
    }

    /** Waits until it works. */
    void awaitReady() {
        try {
            if (!ready.get(START.toSeconds(), TimeUnit.SECONDS)) {
                throw failure("it ended");
            }
        } catch (TimeoutException | ExecutionException e) {
            throw failure("it did not begin within " + START.toSeconds() + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("the demo was interrupted");
        }
    }

    /** Fails if it has ended. */
    void check() {
        if (!process.isAlive()) {
            throw failure("it ended with status " + process.exitValue());
        }
    }

    /** Its name and life. */
    String life() {
        return life;
    }

    /** Stops it with SIGSTOP. */
    void pause() {
        signal("STOP");
    }

    /** Lets it continue, with SIGCONT. */
    void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        // The shell's own kill: a machine without the procps package has no other.
        String unused = output("sh", "-c", "kill -" + name + " " + process.pid());
    }

    /** A thread dump of the process. */
    String threads() {
        String tool = Path.of(System.getProperty("java.home"), "bin", "jstack").toString();
        return life + ":\n" + output(tool, Long.toString(process.pid()));
    }

    private String output(String... command) {
        try {
            Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
            String printed = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (tool.waitFor() != 0) {
                throw failure(command[0] + " said " + printed);
            }
            return printed;
        } catch (IOException e) {
            throw failure(command[0] + " cannot run: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("the demo was interrupted");
        }
    }

    /** Ends it at once, with SIGKILL. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Asks it to end in order. */
    void beginStop() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended, which finishStop reports.
        }
    }

    /** Waits until it has ended in order. */
    void finishStop() {
        try {
            if (!process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
                throw failure("it did not stop in " + STOP.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("the demo was interrupted");
        }
        if (process.exitValue() != 0) {
            throw failure("it ended with status " + process.exitValue());
        }
    }

    private DemoFailedException failure(String reason) {
        return new DemoFailedException("Cannot go on with " + life + ": " + reason + ". Its log ends:\n" + logTail());
    }

    private String logTail() {
        try {
            List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
        } catch (IOException e) {
            return "(" + log + " cannot be read: " + e.getMessage() + ")";
        }
    }
}
