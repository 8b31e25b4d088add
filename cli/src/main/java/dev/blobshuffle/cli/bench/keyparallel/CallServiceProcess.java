package dev.blobshuffle.cli.bench.keyparallel;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The slow service as a process, seen from its parent; it ends when this JVM does. Owned by one thread. */
final class CallServiceProcess implements AutoCloseable {
    private final Process process;
    private final URI address;

    private CallServiceProcess(Process process, URI address) {
        this.process = process;
        this.address = address;
    }

    /** Starts it and waits until it listens. */
    static CallServiceProcess start(Path directory) throws IOException {
        Path log = directory.resolve("service.log");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        // Without these the JDK's server waits 40 ms before it sends, and closes connections that are
                        // idle.
                        "-Dsun.net.httpserver.nodelay=true",
                        "-Dsun.net.httpserver.maxIdleConnections=10000",
                        "-Dsun.net.httpserver.idleInterval=3600",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CallService.class.getName()))
                .redirectError(log.toFile())
                .start();
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        String address = lines.readLine();
        if (address == null) {
            process.destroyForcibly().onExit().join();
            throw new IOException("Cannot start the service that is called. It printed:\n" + Files.readString(log));
        }
        return new CallServiceProcess(process, URI.create(address));
    }

    URI address() {
        return address;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
