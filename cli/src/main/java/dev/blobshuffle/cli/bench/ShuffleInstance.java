package dev.blobshuffle.cli.bench;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One instance of {@link ShuffleApplication} as a process, seen from its parent. Thread-safe. */
final class ShuffleInstance implements AutoCloseable {
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(90);
    private static final int SHOWN_LINES = 25;

    private final Process process;
    private final Path log;
    private final CompletableFuture<Result> result = new CompletableFuture<>();
    private volatile long count;

    /**
     * What an instance did.
     *
     * @param count records after the shuffle
     * @param checksum their sum
     */
    record Result(long count, long checksum) {}

    private ShuffleInstance(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Starts an instance in a directory of its own. */
    static ShuffleInstance start(Path directory, Properties settings, List<String> jvmOptions) throws IOException {
        Files.createDirectories(directory);
        Path file = directory.resolve("settings.properties");
        try (OutputStream out = Files.newOutputStream(file)) {
            settings.store(out, null);
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Compiler threads that come and go would take their CPU time with them.
        command.addAll(List.of("-Xmx1g", "-XX:-UseDynamicNumberOfCompilerThreads"));
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(ShuffleApplication.class.getName(), file.toString()));
        Path log = directory.resolve("output.log");
        ShuffleInstance instance = new ShuffleInstance(
                new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
        Thread reader = new Thread(instance::read, "instance-" + instance.pid());
        reader.setDaemon(true);
        reader.start();
        return instance;
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ");
                if (words[0].equals("count")) {
                    count = Long.parseLong(words[1]);
                } else if (words[0].equals("final")) {
                    result.complete(new Result(Long.parseLong(words[1]), Long.parseLong(words[2])));
                }
            }
            throw new IOException("the process ended");
        } catch (IOException e) {
            result.completeExceptionally(e);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Records after the shuffle, as reported last. */
    long count() {
        return count;
    }

    /**
     * Fails if the process has ended.
     *
     * @throws IOException it has
     */
    void check() throws IOException {
        if (!process.isAlive()) {
            throw new IOException("Cannot go on: an instance ended, status " + process.exitValue()
                    + ". It printed last:\n" + lastLines());
        }
    }

    private String lastLines() throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
    }

    /** Asks the instance to stop in order; {@link #result} waits for it. */
    void stop() throws IOException {
        OutputStream orders = process.getOutputStream();
        orders.write("stop\n".getBytes(StandardCharsets.UTF_8));
        orders.flush();
    }

    /** What the instance did, once it has stopped. */
    Result result() throws IOException, InterruptedException {
        try {
            return result.get(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(
                    "Cannot stop an instance: no result in " + STOP_TIMEOUT.toSeconds() + " s. It printed last:\n"
                            + lastLines(),
                    e);
        }
    }

    /** Ends the process at once. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
