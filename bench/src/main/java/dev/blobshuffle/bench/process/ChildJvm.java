package dev.blobshuffle.bench.process;

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
import java.util.function.Consumer;

/**
 * A JVM beside this one, with the same class path. It receives its task from a settings file and
 * from lines on standard input, and reports by lines on standard output. It ends when this JVM
 * ends. Thread-safe.
 */
public final class ChildJvm implements AutoCloseable {
    private static final int SHOWN_LINES = 25;

    /** The credentials for a simulated S3, which checks no signature. */
    private static final List<String> CREDENTIALS = List.of("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY");

    private final Process process;
    private final Path log;
    private final String what;
    private final Thread reader;

    private ChildJvm(Process process, Path log, String what, Consumer<String[]> listener) {
        this.process = process;
        this.log = log;
        this.what = what;
        reader = new Thread(() -> read(listener), what + "-" + process.pid());
        reader.setDaemon(true);
    }

    /**
     * Starts one.
     *
     * @param what its name, for messages
     * @param directory of its own, for its settings and its log
     * @param main the class to run, whose one argument is the file of the settings
     * @param listener receives each line that it prints, split into words, on a separate thread
     */
    public static ChildJvm start(
            String what,
            Path directory,
            Class<?> main,
            Properties settings,
            List<String> jvmOptions,
            Consumer<String[]> listener)
            throws IOException {
        Files.createDirectories(directory);
        Path file = directory.resolve("settings.properties");
        try (OutputStream out = Files.newOutputStream(file)) {
            settings.store(out, null);
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // The CPU time of a compiler thread that ends would be lost.
        command.addAll(List.of("-Xmx1g", "-XX:-UseDynamicNumberOfCompilerThreads"));
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(main.getName(), file.toString()));
        Path log = directory.resolve("output.log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        CREDENTIALS.forEach(name -> builder.environment().putIfAbsent(name, "blobshuffle-bench"));
        ChildJvm child = new ChildJvm(builder.start(), log, what, listener);
        child.reader.start();
        return child;
    }

    private void read(Consumer<String[]> listener) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                listener.accept(line.split(" ", -1));
            }
        } catch (IOException e) {
            // It was killed. The next call that needs it reports this.
        }
    }

    /** Its number with the operating system. */
    public long pid() {
        return process.pid();
    }

    /** Whether it has not ended. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a line. */
    public void tell(String order) throws IOException {
        OutputStream orders = process.getOutputStream();
        orders.write((order + "\n").getBytes(StandardCharsets.UTF_8));
        orders.flush();
    }

    /** Waits until it has ended in order and all of its output was read. */
    public void awaitEnd(Duration timeout) throws IOException, InterruptedException {
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            throw failure("it did not end in " + timeout.toSeconds() + " s");
        }
        reader.join(timeout.toMillis());
        if (process.exitValue() != 0) {
            throw failure("it ended with status " + process.exitValue());
        }
    }

    /**
     * Fails if the process has ended.
     *
     * @throws IOException it has
     */
    public void check() throws IOException {
        if (!process.isAlive()) {
            throw failure("it ended with status " + process.exitValue());
        }
    }

    private IOException failure(String reason) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return new IOException("Cannot go on with " + what + ": " + reason + ". It printed last:\n"
                + String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size())));
    }

    /** Ends it at once, with SIGKILL. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
