package dev.blobshuffle.flightdaemon.internal.server;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig.Security;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A daemon in a separate process, with HTTP. Owned by the test thread. */
final class DaemonProcess implements AutoCloseable {
    private final Process process;
    private final int port;
    private final int httpPort;

    private DaemonProcess(Process process, int port, int httpPort) {
        this.process = process;
        this.port = port;
        this.httpPort = httpPort;
    }

    /** Starts a daemon and waits until it answers. */
    static DaemonProcess start(Path directory, Path ticketKey) throws IOException {
        return start(directory, ticketKey, "");
    }

    /** Starts a daemon that copies to a store, unless the URI is empty. */
    static DaemonProcess start(Path directory, Path ticketKey, String copies) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DaemonProcess.class.getName(),
                        directory.toString(),
                        ticketKey.toString(),
                        copies))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader words = process.inputReader(StandardCharsets.UTF_8);
        String port = words.readLine();
        String httpPort = words.readLine();
        if (httpPort == null) {
            throw new AssertionError("The daemon ended before it was ready.");
        }
        return new DaemonProcess(process, Integer.parseInt(port), Integer.parseInt(httpPort));
    }

    /** Runs a daemon until standard input ends. */
    public static void main(String[] arguments) throws IOException {
        FlightConfig config = Daemons.config(
                Map.of("default", List.of(Path.of(arguments[0]))),
                new Security.InsecureLoopback(),
                Optional.of(Path.of(arguments[1])));
        if (!arguments[2].isEmpty()) {
            config = Daemons.withCopies(config, arguments[2]);
        }
        FlightDaemon daemon = FlightDaemon.start(
                Daemons.withHttp(config, HttpConfig.Transport.AS_FLIGHT, HttpConfig.Limits.DEFAULT), new SystemTime());
        System.out.println(daemon.port());
        System.out.println(Daemons.httpPort(daemon));
        while (System.in.read() >= 0) {
            // The parent writes nothing.
        }
        Runtime.getRuntime().halt(0);
    }

    int port() {
        return port;
    }

    int httpPort() {
        return httpPort;
    }

    /** Kills it by SIGKILL. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
