package dev.blobshuffle.cli.flight;

import dev.blobshuffle.flight.FlightServer;
import dev.blobshuffle.flight.FlightShuffles;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** {@code blobshuffle flight serve} in a separate process. Owned by the test thread. */
final class ServedDaemon implements AutoCloseable {
    private final Process process;
    private final FlightShuffles client;

    private ServedDaemon(Process process, int port) {
        this.process = process;
        client = FlightShuffles.connect(FlightServer.insecureLoopback(port), "default");
    }

    /** Starts a daemon that copies to a store, and waits until it answers. */
    static ServedDaemon start(Path directory, String copies) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx160m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.blobshuffle.cli.Main",
                        "flight",
                        "serve",
                        "--directory",
                        directory.toString(),
                        "--listen",
                        "127.0.0.1:0",
                        "--insecure-loopback",
                        "--memory",
                        "32MiB",
                        "--put-memory",
                        "64MiB",
                        "--footer-memory",
                        "8MiB",
                        "--copy-to",
                        copies))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader words = process.inputReader(StandardCharsets.UTF_8);
        for (String line = words.readLine(); line != null; line = words.readLine()) {
            if (line.startsWith("Serves at ")) {
                return new ServedDaemon(
                        process,
                        URI.create(line.substring("Serves at ".length())).getPort());
            }
        }
        throw new AssertionError("The daemon ended before it was ready.");
    }

    FlightShuffles client() {
        return client;
    }

    /** Kills it by SIGKILL. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        client.close();
        kill();
    }
}
