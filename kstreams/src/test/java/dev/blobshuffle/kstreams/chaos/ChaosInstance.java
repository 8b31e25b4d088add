package dev.blobshuffle.kstreams.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.streams.KafkaStreams;

/**
 * The parent's handle of a {@link ChaosApplication}. Owned by the thread of the run; another thread
 * reads its status.
 */
final class ChaosInstance {
    private static final Duration FREEZE = Duration.ofSeconds(7);

    private static final String STREAMS = "org.apache.kafka.streams.processor.internals.";

    /** Classes of Kafka Streams that log the moves and restorations of tasks. */
    private static final List<String> LOGGED = List.of(
            "StoreChangelogReader",
            "StreamTask",
            "StreamThread",
            "TaskManager",
            "TaskExecutor",
            "ProcessorStateManager");

    private static final Duration DESCRIBED = Duration.ofSeconds(3);
    private static final int LAST_LINES = 60;
    private static final int LONGEST_LINE = 500;

    private final int number;
    private final Path log;
    private final Process process;
    private final Thread reader;
    // guarded by this
    private Status status = new Status(KafkaStreams.State.CREATED, 0, 0, 0, 0, 0);

    /**
     * The latest status of the instance, at most 10 ms old.
     *
     * @param puts in flight
     * @param gets in flight
     * @param faults failed requests to the store
     * @param deaths stream threads that died
     * @param deleted blobs that it deleted
     */
    record Status(KafkaStreams.State state, int puts, int gets, long faults, int deaths, long deleted) {
        boolean isRunning() {
            return state == KafkaStreams.State.RUNNING;
        }

        boolean isBusy() {
            return puts + gets > 0;
        }
    }

    private ChaosInstance(int number, Path log, Process process) {
        this.number = number;
        this.log = log;
        this.process = process;
        this.reader = new Thread(this::read, "chaos-instance-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    static ChaosInstance start(int number, Path directory, Properties settings) throws IOException {
        Path own = Files.createDirectories(directory.resolve("instance-" + number));
        Path file = own.resolve("settings.properties");
        Properties all = new Properties();
        all.putAll(settings);
        all.setProperty("state.dir", own.resolve("state").toString());
        all.setProperty("client.id", "instance-" + number);
        try (OutputStream out = Files.newOutputStream(file)) {
            all.store(out, null);
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--add-opens=java.base/java.lang=ALL-UNNAMED", // StuckProducers
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=" + System.getProperty("chaos.log", "error"),
                "-Dorg.slf4j.simpleLogger.showDateTime=true",
                "-Dorg.slf4j.simpleLogger.showThreadName=true"));
        LOGGED.forEach(name -> command.add("-Dorg.slf4j.simpleLogger.log." + STREAMS + name + "=info"));
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), ChaosApplication.class.getName(), file.toString()));
        Path log = own.resolve("output.log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        return new ChaosInstance(number, log, builder.start());
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ");
                if (words[0].equals("status") && words.length == 7) {
                    seen(new Status(
                            KafkaStreams.State.valueOf(words[1]),
                            Integer.parseInt(words[2]),
                            Integer.parseInt(words[3]),
                            Long.parseLong(words[4]),
                            Integer.parseInt(words[5]),
                            Long.parseLong(words[6])));
                }
            }
        } catch (IOException e) {
            // The process was killed.
        }
        synchronized (this) {
            notifyAll();
        }
    }

    private synchronized void seen(Status now) {
        status = now;
        notifyAll();
    }

    int number() {
        return number;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    synchronized Status status() {
        return status;
    }

    /** Waits for a wanted status; false if the instance ends or the time is over. */
    synchronized boolean await(Predicate<Status> wanted, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!wanted.test(status)) {
            long left = deadline - System.nanoTime();
            if (left <= 0 || !reader.isAlive()) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    /** Its status and its last output, for a failing test. */
    String describe() {
        order("describe");
        try {
            process.waitFor(DESCRIBED.toNanos(), TimeUnit.NANOSECONDS);
            List<String> lines = Files.readAllLines(log);
            String end = isAlive() ? "alive" : "ended with " + process.exitValue();
            return "instance " + number + " is " + end + ", " + status() + "\n"
                    + lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()).stream()
                            .map(line -> line.substring(0, Math.min(line.length(), LONGEST_LINE)))
                            .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            return "instance " + number + " left no log: " + e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "instance " + number + " was not asked";
        }
    }

    void order(String order) {
        try {
            OutputStream orders = process.getOutputStream();
            orders.write((order + "\n").getBytes(StandardCharsets.UTF_8));
            orders.flush();
        } catch (IOException e) {
            // It is ending: a later command detects that.
        }
    }

    /** SIGKILL; returns after the process has ended. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** SIGSTOP; the caller must kill it. */
    void stop() throws IOException, InterruptedException {
        int status = new ProcessBuilder("sh", "-c", "kill -STOP " + process.pid())
                .start()
                .waitFor();
        if (status != 0) {
            throw new AssertionError("kill -STOP ended with " + status);
        }
    }

    /**
     * Limits the size of every file that the process writes, as RLIMIT_FSIZE does: a write beyond
     * it fails. It needs no privileges.
     *
     * @param limit bytes, or {@code unlimited}
     */
    boolean limitFiles(String limit) throws IOException, InterruptedException {
        return new ProcessBuilder("prlimit", "--pid", Long.toString(process.pid()), "--fsize=" + limit + ":unlimited")
                        .start()
                        .waitFor()
                == 0;
    }

    /** SIGSTOP, and later SIGCONT by a process that does not depend on ours; returns after that. */
    void freeze() throws IOException, InterruptedException {
        long pid = process.pid();
        String script = "kill -STOP " + pid + "; sleep " + FREEZE.toSeconds() + "; kill -CONT " + pid;
        new ProcessBuilder("sh", "-c", script).start().waitFor();
    }

    /** Waits until the process has ended by itself; kills it if it does not. */
    boolean awaitEnd(Duration timeout) throws InterruptedException {
        boolean hasEnded = process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
        kill();
        return hasEnded && process.exitValue() == 0;
    }
}
