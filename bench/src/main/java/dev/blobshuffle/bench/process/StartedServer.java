package dev.blobshuffle.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server as a process, seen from its parent. Thread-safe. */
public final class StartedServer implements AutoCloseable {
    private static final String SIGN = " at ";

    private final Process process;
    private final String endpoint;

    private StartedServer(Process process, String endpoint) {
        this.process = process;
        this.endpoint = endpoint;
    }

    /**
     * Starts a server, and waits until it prints that it answers, in a line that ends with {@code
     * at} and its endpoint.
     *
     * @param directory receives its log
     * @param main the name of its main class
     */
    public static StartedServer start(Path directory, String main, List<String> jvmOptions, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // The CPU time of a compiler thread that ends would be lost.
        command.addAll(List.of("-Xmx1g", "-XX:-UseDynamicNumberOfCompilerThreads"));
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(arguments);
        Path log = directory.resolve("server.log");
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        while (line != null && !line.contains(SIGN)) {
            line = lines.readLine(); // Agents of the JVM may print lines first.
        }
        if (line == null) {
            process.destroyForcibly();
            throw new IOException("Cannot start a server. It printed:\n" + Files.readString(log));
        }
        return new StartedServer(process, line.substring(line.lastIndexOf(SIGN) + SIGN.length()));
    }

    /** Its number with the operating system. */
    public long pid() {
        return process.pid();
    }

    /** The endpoint that it has printed. */
    public String endpoint() {
        return endpoint;
    }

    /** Ends the process and waits for its end, after which it writes to no file. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
