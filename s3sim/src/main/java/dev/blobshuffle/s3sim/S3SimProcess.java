package dev.blobshuffle.s3sim;

import dev.blobshuffle.planner.LatencyProfile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An {@link S3Sim} in a separate JVM with the same class path, for benchmarks that count only the
 * client's CPU time. It ends when this JVM ends. Owned by one thread.
 */
public final class S3SimProcess implements AutoCloseable {
    /** The password of the trust store, whose content is not secret. */
    public static final String TRUST_STORE_PASSWORD = "not-a-secret";

    private final Process process;
    private final BufferedReader out;
    private final Optional<Path> trustStore;
    private final int port;

    private S3SimProcess(Process process, BufferedReader out, Optional<Path> trustStore, int port) {
        this.process = process;
        this.out = out;
        this.trustStore = trustStore;
        this.port = port;
    }

    /**
     * Starts a plain HTTP server and waits until it serves.
     *
     * @param bucket its only bucket
     * @param bytes the most bytes of all objects
     */
    public static S3SimProcess plain(String bucket, long bytes, LatencyProfile latency) {
        return start(bucket, bytes, latency, 1, Optional.empty());
    }

    /**
     * Like {@link #plain}, with HTTPS and a new identity, which clients trust through
     * {@link #trustStore}.
     */
    public static S3SimProcess tls(String bucket, long bytes, LatencyProfile latency) {
        return tls(bucket, bytes, latency, 1);
    }

    /**
     * Like {@link #tls(String, long, LatencyProfile)}, for experiments at a smaller scale.
     *
     * @param latency of a named store
     * @param scale factor on a request's bytes for the computation of its latency
     */
    public static S3SimProcess tls(String bucket, long bytes, LatencyProfile latency, double scale) {
        try {
            Path trustStore = Files.createTempFile("s3sim-trust", ".p12");
            trustStore.toFile().deleteOnExit(); // an interrupted process closes nothing
            return start(bucket, bytes, latency, scale, Optional.of(trustStore));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot make a file for a trust store. Check the temporary directory.", e);
        }
    }

    private static S3SimProcess start(
            String bucket, long bytes, LatencyProfile latency, double scale, Optional<Path> trustStore) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Replaced objects are garbage until the next collection, so double the size.
                "-Xmx" + Math.max(128, bytes * 2 >> 20) + "m",
                "-cp",
                System.getProperty("java.class.path"),
                S3SimServer.class.getName(),
                bucket,
                Long.toString(bytes),
                latency.name(),
                trustStore.map(Path::toString).orElse("-"),
                TRUST_STORE_PASSWORD,
                Double.toString(scale)));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
            String line = out.readLine();
            if (line == null || !line.startsWith(S3SimServer.READY)) {
                process.destroyForcibly();
                throw new IOException("it said: " + line);
            }
            int port = Integer.parseInt(line.substring(S3SimServer.READY.length()));
            return new S3SimProcess(process, out, trustStore, port);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot start S3Sim as a process. See its messages above.", e);
        }
    }

    /** The address for path-style requests. */
    public URI endpoint() {
        return URI.create((trustStore.isPresent() ? "https" : "http") + "://localhost:" + port);
    }

    /** A trust store (PKCS12) with its certificate; empty without TLS. */
    public Optional<Path> trustStore() {
        return trustStore;
    }

    /** The process id. */
    public long pid() {
        return process.pid();
    }

    /** Requests so far. */
    public RequestCounts counts() {
        try {
            process.outputWriter(StandardCharsets.UTF_8).write(S3SimServer.COUNTS + "\n");
            process.outputWriter(StandardCharsets.UTF_8).flush();
            String line = out.readLine();
            if (line == null) {
                throw new IOException("it has ended");
            }
            return S3SimServer.parse(line);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot ask S3Sim for its counts. Start it again.", e);
        }
    }

    /** Kills the process. Idempotent. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            out.close();
            if (trustStore.isPresent()) {
                Files.deleteIfExists(trustStore.get());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot clean up after S3Sim.", e);
        }
    }
}
