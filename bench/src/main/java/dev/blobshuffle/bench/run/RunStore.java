package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.observed.ObservedStoreProvider;
import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.process.CpuTime;
import dev.blobshuffle.bench.process.Directories;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.s3sim.RequestCounts;
import dev.blobshuffle.s3sim.S3SimProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The store of one run: a directory, or a server in a process of its own. Owned by one thread. */
final class RunStore implements AutoCloseable {
    private static final String BUCKET = "bench";
    private static final long SPARE_BYTES = 256L << 20;

    private final Path directory;
    private final String uri;
    private final Optional<S3SimProcess> server;

    private RunStore(Path directory, String uri, Optional<S3SimProcess> server) {
        this.directory = directory;
        this.uri = uri;
        this.server = server;
    }

    /**
     * Opens the store of a variant.
     *
     * @param directory for blobs in files
     * @param parameters of the run
     */
    static RunStore open(Variant variant, Path directory, Parameters parameters) throws IOException {
        Files.createDirectories(directory);
        long faults = parameters.number(Parameter.STORE_FAULTS);
        if (variant.carrier() == Variant.Carrier.S3) {
            long bytes = parameters.allRecords() * parameters.number(Parameter.RECORD_BYTES);
            LatencyProfile latency = LatencyProfile.named(parameters.text(Parameter.STORE_LATENCY));
            double scale = parameters.decimal(Parameter.STORE_SCALE);
            S3SimProcess sim = S3SimProcess.tls(BUCKET, bytes + bytes / 10 + SPARE_BYTES, latency, scale);
            return new RunStore(
                    directory,
                    ObservedStoreProvider.uri(
                            "s3://" + BUCKET + "/run?region=us-east-1&path-style=true&endpoint=" + sim.endpoint(),
                            faults),
                    Optional.of(sim));
        }
        return new RunStore(
                directory, ObservedStoreProvider.uri("file://" + directory + "?fsync=none", faults), Optional.empty());
    }

    String uri() {
        return uri;
    }

    /** Options for JVMs that use the store. */
    List<String> jvmOptions() {
        return server.flatMap(S3SimProcess::trustStore)
                .map(file -> List.of(
                        "-Djavax.net.ssl.trustStore=" + file,
                        "-Djavax.net.ssl.trustStorePassword=" + S3SimProcess.TRUST_STORE_PASSWORD))
                .orElse(List.of());
    }

    CpuTime cpu() throws IOException {
        return server.isPresent() ? CpuTime.of(List.of(server.get().pid())) : CpuTime.NONE;
    }

    /** Requests to the server; empty without a server. */
    Optional<RequestCounts> requests() {
        return server.map(S3SimProcess::counts);
    }

    /** Ends the server, and deletes the directory. */
    @Override
    public void close() throws IOException {
        server.ifPresent(S3SimProcess::close);
        Directories.delete(directory);
    }
}
