package dev.blobshuffle.bench.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.streams.KafkaStreams.State;

/**
 * One instance of the application as an operating-system process. It ends when this JVM ends. Owned
 * by one thread; another thread reads the state from the process's output.
 */
final class InstanceProcess {
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(90);
    private static final int SHOWN_LINES = 15;

    private final int number;
    private final Process process;
    private final Path log;
    private final Path measured;
    private volatile State state = State.CREATED;

    private InstanceProcess(int number, Process process, Path log, Path measured) {
        this.number = number;
        this.process = process;
        this.log = log;
        this.measured = measured;
    }

    /** Starts an instance with its settings; its files are put into the directory. */
    static InstanceProcess start(int number, Properties settings, Path directory) {
        Path file = directory.resolve("instance-" + number + ".properties");
        Path log = directory.resolve("instance-" + number + ".log");
        Path measured = directory.resolve("instance-" + number + ".measured");
        try {
            try (Writer writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
                settings.store(writer, null);
            }
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx320m",
                            "-XX:+UseSerialGC",
                            // As for the brokers: the process is too short-lived for the optimizing
                            // compiler to pay off.
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+ExitOnOutOfMemoryError",
                            "-cp",
                            System.getProperty("java.class.path"),
                            DemoApplication.class.getName(),
                            file.toString(),
                            measured.toString())
                    .redirectError(log.toFile())
                    .start();
            InstanceProcess instance = new InstanceProcess(number, process, log, measured);
            Thread reader = new Thread(instance::followState, "demo-instance-" + number);
            reader.setDaemon(true);
            reader.start();
            return instance;
        } catch (IOException e) {
            throw new DemoFailedException(
                    "Cannot start instance " + number + " of the application: " + e + ". Check memory and disk.", e);
        }
    }

    private void followState() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(DemoApplication.STATE)) {
                    state = State.valueOf(line.substring(DemoApplication.STATE.length()));
                }
            }
        } catch (IOException e) {
            // The process has ended; check() reports it.
        }
    }

    /** Whether it has its partitions and works. */
    boolean isRunning() {
        return state == State.RUNNING;
    }

    /**
     * Fails if the instance has died.
     *
     * @throws DemoFailedException if it died, with the end of its log
     */
    void check() {
        State now = state;
        if (!process.isAlive() || now == State.ERROR || now == State.PENDING_ERROR) {
            throw failure(process.isAlive() ? "it is in state " + now : "it ended with status " + process.exitValue());
        }
    }

    /**
     * CPU time, user and system, that the process has used since its start; zero if the operating
     * system does not report it.
     */
    Duration cpu() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Reports the end of the warm-up to the instance. */
    void beginMeasuring() {
        try {
            OutputStream out = process.getOutputStream();
            out.write((DemoApplication.MEASURE + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            throw failure("it does not listen: " + e.getMessage());
        }
    }

    /** Asks it to stop in order. */
    void beginStop() {
        try (OutputStream end = process.getOutputStream()) {
            end.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it has stopped, and returns its measurements. */
    DemoMeasurement finishStop() {
        try {
            if (!process.waitFor(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw failure("it did not stop in " + STOP_TIMEOUT.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("the demo was interrupted");
        }
        if (process.exitValue() != 0) {
            throw failure("it ended with status " + process.exitValue());
        }
        return DemoMeasurement.read(measured);
    }

    /** Ends it at once. */
    void kill() {
        process.destroyForcibly();
    }

    private DemoFailedException failure(String reason) {
        return new DemoFailedException("Cannot go on with instance " + number + " of the application: " + reason
                + ". Its log ends:\n" + logTail());
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
