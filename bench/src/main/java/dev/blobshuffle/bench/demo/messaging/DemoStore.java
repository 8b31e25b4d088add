package dev.blobshuffle.bench.demo.messaging;

import dev.blobshuffle.bench.demo.FinalSweep;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.s3sim.Operation;
import dev.blobshuffle.s3sim.S3SimProcess;
import java.nio.file.Path;
import java.util.Optional;

/** The store of a run: new, in files, in an S3 simulator, or below a URI. Owned by one thread. */
final class DemoStore implements AutoCloseable {
    /** The value of {@code --store} for a simulator. */
    static final String SIMULATOR = "s3sim";

    private static final String BUCKET = "demo";
    private static final long SIMULATOR_BYTES = 512L << 20;

    private final String uri;
    private final Optional<S3SimProcess> simulator;

    private DemoStore(String uri, Optional<S3SimProcess> simulator) {
        this.uri = uri;
        this.simulator = simulator;
    }

    /**
     * Creates a store, and checks that it can be written and read.
     *
     * @param chosen a directory, a URI or {@link #SIMULATOR}
     */
    static DemoStore open(String chosen) {
        if (chosen.equals(SIMULATOR)) {
            // This process opens the store too. A simulator accepts any credentials.
            System.setProperty("aws.accessKeyId", BUCKET);
            System.setProperty("aws.secretAccessKey", BUCKET);
            S3SimProcess simulator = S3SimProcess.plain(BUCKET, SIMULATOR_BYTES, LatencyProfile.S3_STANDARD);
            return new DemoStore(
                    "s3://" + BUCKET + "/messaging?region=us-east-1&path-style=true&endpoint=" + simulator.endpoint(),
                    Optional.of(simulator));
        }
        String place = chosen.contains("://") || chosen.startsWith("memory:")
                ? chosen
                : "file://" + Path.of(chosen).toAbsolutePath().normalize();
        if (place.startsWith("memory:")) {
            throw new InvalidSettingsException("Cannot use store " + place
                    + ": each process would have a memory of its own. Give a directory or the URI of a shared store.");
        }
        try (SystemTime time = new SystemTime()) {
            String own = own(place, time.randomLong());
            BlobStores.open(own, time).close();
            return new DemoStore(own, Optional.empty());
        }
    }

    /**
     * A new store below the given one. The demo's database is new, so it owns no existing store.
     */
    private static String own(String uri, long number) {
        int parameters = uri.indexOf('?');
        String place = parameters < 0 ? uri : uri.substring(0, parameters);
        String rest = parameters < 0 ? "" : uri.substring(parameters);
        return (place.endsWith("/") ? place : place + "/") + "demo-" + Long.toHexString(number) + rest;
    }

    String uri() {
        return uri;
    }

    /** Blobs that were put; a simulator counts each request, also those sent twice. */
    long puts() {
        return simulator.map(server -> server.counts().of(Operation.PUT_OBJECT)).orElseGet(() -> FinalSweep.count(uri));
    }

    @Override
    public void close() {
        simulator.ifPresent(server -> {
            server.close();
            System.clearProperty("aws.accessKeyId");
            System.clearProperty("aws.secretAccessKey");
        });
    }
}
