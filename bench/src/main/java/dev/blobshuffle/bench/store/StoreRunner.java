package dev.blobshuffle.bench.store;

import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.s3sim.S3SimProcess;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Moves blobs to a store and back and measures this process. If the plan names no store, an S3
 * simulator in a process of its own is the server, and a bare socket client that also checksums is
 * the floor. Runs of both follow each other in seeded random order. Every blob is checked. Owned by
 * one thread.
 */
public final class StoreRunner {
    private static final String BUCKET = "bench";
    private static final long MOST_WARM_UP_BYTES = 256L << 20;
    private static final int WARM_UPS = 4;

    /** MiB and blobs in flight of a warm-up, at most. */
    private static final int WARM_UP = 4;

    /** Small, because the cost per request matters here, not the cost per byte. */
    private static final int SMALL_BYTES = 64 << 10;

    private final StorePlan plan;
    private final Consumer<String> progress;
    private final List<StoreResult> results = new ArrayList<>();

    /**
     * A runner.
     *
     * @param progress receives the progress, line by line
     */
    public StoreRunner(StorePlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** Runs everything. */
    public StoreReport run() throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        try (SystemTime time = new SystemTime()) {
            for (String transport : plan.transports()) {
                measure(transport, time);
            }
        }
        return new StoreReport(results);
    }

    private void measure(String transport, SystemTime time)
            throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        if (plan.uri().isPresent()) {
            try (BlobStore store = BlobStores.open(plan.uri().get(), time)) {
                measure(transport, store, Optional.empty());
            }
            return;
        }
        // Room for the blobs in flight, those that they replace, and the same again.
        long bytes = 4L
                        * Math.max(WARM_UP, Collections.max(plan.concurrencies()))
                        * Math.max(WARM_UP, Collections.max(plan.mebibytes()))
                << 20;
        Properties before = (Properties) System.getProperties().clone();
        try (S3SimProcess sim = transport.equals("tls")
                ? S3SimProcess.tls(BUCKET, bytes, LatencyProfile.ZERO)
                : S3SimProcess.plain(BUCKET, bytes, LatencyProfile.ZERO)) {
            trust(sim);
            String simulated = "s3://" + BUCKET + "/store?region=us-east-1&path-style=true&endpoint=" + sim.endpoint();
            try (BlobStore store = BlobStores.open(simulated, time)) {
                measure(transport, store, Optional.of(sim));
            }
        } finally {
            System.setProperties(before); // Other stores of this process have their own credentials.
        }
    }

    /**
     * Sets credentials and trust by the conventions of the JVM and the SDK, for a simulator that
     * accepts any credentials.
     */
    private static void trust(S3SimProcess sim) {
        System.setProperty("aws.accessKeyId", "bench");
        System.setProperty("aws.secretAccessKey", "bench");
        sim.trustStore().ifPresent(file -> {
            System.setProperty("javax.net.ssl.trustStore", file.toString());
            System.setProperty("javax.net.ssl.trustStorePassword", S3SimProcess.TRUST_STORE_PASSWORD);
        });
    }

    private void measure(String transport, BlobStore store, Optional<S3SimProcess> sim)
            throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        StoreRun large = new StoreRun(Math.min(2 * plan.bytes(), MOST_WARM_UP_BYTES), Optional::empty);
        StoreRun run = new StoreRun(
                plan.bytes(), () -> sim.map(server -> server.counts().total()));
        Random order = new Random(plan.seed());
        if (plan.warmUp() > 0) {
            repeatSmall(transport, store, sim, order);
        }
        for (int i = 0; i < WARM_UPS; i++) {
            for (TransferCell.Direction direction : TransferCell.Direction.values()) {
                List<StoreResult> ignored = pair(warmUp(transport, direction), large, store, sim, 0, order);
            }
        }
        // Each repetition runs every cell once. So remaining warm-up affects one repetition of each
        // cell, and not one cell alone.
        for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
            for (TransferCell cell : plan.cells(transport)) {
                List<StoreResult> both = pair(cell, run, store, sim, repetition, order);
                both.forEach(result -> progress.accept(line(result)));
                results.addAll(both);
            }
        }
    }

    /**
     * Sends some thousands of small requests. A request costs a client many times more before the
     * JIT has compiled its code.
     */
    private void repeatSmall(String transport, BlobStore store, Optional<S3SimProcess> sim, Random order)
            throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        StoreRun small = new StoreRun((long) plan.warmUp() * SMALL_BYTES, Optional::empty);
        for (TransferCell.Direction direction : TransferCell.Direction.values()) {
            TransferCell cell = warmUp(transport, direction);
            List<StoreResult> ignored = pair(cell, Blobs.of(SMALL_BYTES, plan.seed()), small, store, sim, 0, order);
        }
    }

    /**
     * The cell of a warm-up. It is no larger than the largest cell, so that a small plan has a
     * small warm-up.
     */
    private TransferCell warmUp(String transport, TransferCell.Direction direction) {
        return new TransferCell(
                transport,
                direction,
                Math.min(WARM_UP, Collections.max(plan.mebibytes())),
                Math.min(WARM_UP, Collections.max(plan.concurrencies())));
    }

    /** Runs each client once, in random order. */
    private List<StoreResult> pair(
            TransferCell cell, StoreRun run, BlobStore store, Optional<S3SimProcess> sim, int repetition, Random order)
            throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        return pair(cell, Blobs.of(cell.blobBytes(), plan.seed()), run, store, sim, repetition, order);
    }

    private List<StoreResult> pair(
            TransferCell cell,
            Blobs blobs,
            StoreRun run,
            BlobStore store,
            Optional<S3SimProcess> sim,
            int repetition,
            Random order)
            throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        List<StoreResult> both = new ArrayList<>();
        boolean isBare = order.nextBoolean();
        for (int i = 0; i < 2; i++, isBare = !isBare) {
            if (isBare && sim.isEmpty()) {
                continue;
            }
            try (StoreClient client = isBare
                    ? StoreClient.bare(sim.orElseThrow().endpoint(), BUCKET, blobs, cell.concurrency())
                    : StoreClient.of(store, blobs)) {
                both.add(run.run(cell, client, isBare, blobs, repetition));
            }
        }
        return both;
    }

    private static String line(StoreResult result) {
        TransferCell cell = result.cell();
        return String.format(
                Locale.ROOT,
                "  %-6s %-4s %3d MiB x %-3d %-6s %7.0f MB/s, %.2f CPU-s/GiB%s",
                cell.transport(),
                cell.direction(),
                cell.mebibytes(),
                cell.concurrency(),
                result.isBare() ? "floor" : "store",
                result.megabytesPerSecond(),
                result.cpuPerGibibyte(),
                result.verified() ? "" : "  WRONG");
    }
}
