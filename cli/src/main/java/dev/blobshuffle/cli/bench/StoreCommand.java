package dev.blobshuffle.cli.bench;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.core.plan.LatencyProfile;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStores;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.testkit.s3sim.S3SimProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench store}: what it costs this process to move blobs to a store and back. Without a store of one's own, an S3 simulator in a process of its own is the
 * server, and a bare socket client that also checksums is the floor; runs of both follow each other in seeded random order, and every blob is checked.
 */
@Command(
        name = "store",
        description = {
            "Throughput, CPU time, allocation and requests of puts and gets.",
            "Without --store, against an S3 simulator, next to a bare socket client."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class StoreCommand implements Callable<Integer> {
    private static final String BUCKET = "bench";
    private static final String GIVEN = "given";
    private static final long MOST_WARM_UP_BYTES = 256L << 20;
    private static final int WARM_UPS = 4;

    /** MiB and blobs in flight of a warm-up. */
    private static final int WARM_UP = 4;

    /** What a client does per request matters here, not what it does per byte. */
    private static final int SMALL_BYTES = 64 << 10;

    private static final double BYTES_PER_GIB = 1 << 30;

    @Option(names = "--store", paramLabel = "URI", description = "The store; default: the simulator.")
    private @Nullable String uri;

    @Option(
            names = "--transports",
            split = ",",
            defaultValue = "plain,tls",
            description = "How to reach the simulator.")
    private List<String> transports;

    @Option(names = "--mib", split = ",", defaultValue = "1,4,8,16", description = "Sizes of blobs, MiB.")
    private List<Integer> sizes;

    @Option(names = "--concurrency", split = ",", defaultValue = "1,4,16", description = "Blobs in flight.")
    private List<Integer> concurrencies;

    @Option(names = "--gib", defaultValue = "0.25", description = "GiB that each run moves.")
    private double gibibytes;

    @Option(
            names = "--warm-up",
            defaultValue = "4000",
            description = {
                "Small puts, and as many gets, by each client before anything is measured, so that its code is compiled as in a process that has run for a while.",
                "0: a process that has just started."
            })
    private int warmUp;

    @Option(names = "--repetitions", defaultValue = "3", description = "Runs of each cell and client.")
    private int repetitions;

    @Option(names = "--seed", defaultValue = "1", description = "Seed of the bytes and of the order of runs.")
    private long seed;

    @Option(names = "--json", paramLabel = "FILE", description = "File for all numbers as JSON.")
    private @Nullable Path json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        check();
        List<StoreResult> results = new ArrayList<>();
        PrintWriter out = spec.commandLine().getOut();
        try (SystemTime time = new SystemTime()) {
            for (String transport : uri == null ? transports : List.of(GIVEN)) {
                measure(transport, time, results, out);
            }
        }
        StoreReport report = new StoreReport(results);
        out.println();
        out.print(report.table());
        out.println();
        out.print(report.summary());
        out.println(
                report.isVerified() ? "Every blob came back as it was." : "WRONG: a blob came back with other bytes.");
        out.flush();
        if (json != null) {
            Files.writeString(json, Json.write(asJson(report)));
        }
        return report.isVerified() ? 0 : 1;
    }

    private void check() {
        if (!Files.isDirectory(Path.of("/proc/self/task"))) {
            throw invalid("Cannot measure: CPU time comes from Linux's /proc, and there is none. Run it on Linux.");
        }
        if (!List.of("plain", "tls").containsAll(transports)) {
            throw invalid("Cannot use transports " + transports + ": give plain, tls or both.");
        }
        List<Integer> numbers = new ArrayList<>(sizes);
        numbers.addAll(concurrencies);
        numbers.add(repetitions);
        if (numbers.stream().anyMatch(number -> number < 1 || number > 1024) || !(gibibytes > 0) || warmUp < 0) {
            throw invalid(
                    "Cannot measure with these numbers: sizes, concurrency and repetitions must be 1 to 1024, --gib above 0, --warm-up 0 or more.");
        }
    }

    private CommandLine.ParameterException invalid(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }

    private void measure(String transport, SystemTime time, List<StoreResult> results, PrintWriter out)
            throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        if (uri != null) {
            try (BlobStore store = BlobStores.open(uri, time)) {
                measure(transport, store, Optional.empty(), results, out);
            }
            return;
        }
        // Blobs in flight, those that they replace, and as much again.
        long bytes = 4L * Math.max(WARM_UP, Collections.max(concurrencies)) * Math.max(WARM_UP, Collections.max(sizes))
                << 20;
        Properties before = (Properties) System.getProperties().clone();
        try (S3SimProcess sim = transport.equals("tls")
                ? S3SimProcess.tls(BUCKET, bytes, LatencyProfile.ZERO)
                : S3SimProcess.plain(BUCKET, bytes, LatencyProfile.ZERO)) {
            trust(sim);
            String simulated = "s3://" + BUCKET + "/store?region=us-east-1&path-style=true&endpoint=" + sim.endpoint();
            try (BlobStore store = BlobStores.open(simulated, time)) {
                measure(transport, store, Optional.of(sim), results, out);
            }
        } finally {
            System.setProperties(before); // Another store of this process has credentials of its own.
        }
    }

    /** Credentials and trust by the conventions of the JVM and the SDK, for a simulator that believes everyone. */
    private static void trust(S3SimProcess sim) {
        System.setProperty("aws.accessKeyId", "bench");
        System.setProperty("aws.secretAccessKey", "bench");
        sim.trustStore().ifPresent(file -> {
            System.setProperty("javax.net.ssl.trustStore", file.toString());
            System.setProperty("javax.net.ssl.trustStorePassword", S3SimProcess.TRUST_STORE_PASSWORD);
        });
    }

    private void measure(
            String transport, BlobStore store, Optional<S3SimProcess> sim, List<StoreResult> results, PrintWriter out)
            throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        long bytes = (long) (gibibytes * BYTES_PER_GIB);
        StoreRun large = new StoreRun(Math.min(2 * bytes, MOST_WARM_UP_BYTES), Optional::empty);
        StoreRun run =
                new StoreRun(bytes, () -> sim.map(server -> server.counts().total()));
        Random order = new Random(seed);
        if (warmUp > 0) {
            repeatSmall(transport, store, sim, order);
        }
        for (int i = 0; i < WARM_UPS; i++) {
            for (StoreCell.Direction direction : StoreCell.Direction.values()) {
                List<StoreResult> ignored =
                        pair(new StoreCell(transport, direction, WARM_UP, WARM_UP), large, store, sim, 0, order);
            }
        }
        // Every cell once, and again: what is left of the warm-up then falls on one of a cell's repetitions, and not on
        // one cell.
        for (int repetition = 0; repetition < repetitions; repetition++) {
            for (StoreCell cell : cells(transport)) {
                List<StoreResult> both = pair(cell, run, store, sim, repetition, order);
                both.forEach(result -> progress(out, result));
                results.addAll(both);
            }
        }
    }

    /** Requests cost a client many times more before the JIT has compiled what it does for each: some thousands of them. */
    private void repeatSmall(String transport, BlobStore store, Optional<S3SimProcess> sim, Random order)
            throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        StoreRun small = new StoreRun((long) warmUp * SMALL_BYTES, Optional::empty);
        for (StoreCell.Direction direction : StoreCell.Direction.values()) {
            StoreCell cell = new StoreCell(transport, direction, WARM_UP, WARM_UP);
            List<StoreResult> ignored = pair(cell, Blobs.of(SMALL_BYTES, seed), small, store, sim, 0, order);
        }
    }

    private List<StoreCell> cells(String transport) {
        List<StoreCell> cells = new ArrayList<>();
        for (StoreCell.Direction direction : StoreCell.Direction.values()) {
            for (int mebibytes : sizes) {
                concurrencies.forEach(
                        concurrency -> cells.add(new StoreCell(transport, direction, mebibytes, concurrency)));
            }
        }
        return cells;
    }

    /** One run with each client, in random order. */
    private List<StoreResult> pair(
            StoreCell cell, StoreRun run, BlobStore store, Optional<S3SimProcess> sim, int repetition, Random order)
            throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        return pair(cell, Blobs.of(cell.blobBytes(), seed), run, store, sim, repetition, order);
    }

    private List<StoreResult> pair(
            StoreCell cell,
            Blobs blobs,
            StoreRun run,
            BlobStore store,
            Optional<S3SimProcess> sim,
            int repetition,
            Random order)
            throws IOException, InterruptedException, ExecutionException, GeneralSecurityException {
        List<StoreResult> results = new ArrayList<>();
        boolean isBare = order.nextBoolean();
        for (int i = 0; i < 2; i++, isBare = !isBare) {
            if (isBare && sim.isEmpty()) {
                continue;
            }
            try (StoreClient client = isBare
                    ? StoreClient.bare(sim.orElseThrow().endpoint(), BUCKET, blobs, cell.concurrency())
                    : StoreClient.of(store, blobs)) {
                results.add(run.run(cell, client, isBare, blobs, repetition));
            }
        }
        return results;
    }

    private static void progress(PrintWriter out, StoreResult result) {
        StoreCell cell = result.cell();
        out.println(String.format(
                Locale.ROOT,
                "  %-6s %-4s %3d MiB x %-3d %-6s %7.0f MB/s, %.2f CPU-s/GiB%s",
                cell.transport(),
                cell.direction(),
                cell.mebibytes(),
                cell.concurrency(),
                result.isBare() ? "floor" : "store",
                result.megabytesPerSecond(),
                result.cpuPerGibibyte(),
                result.verified() ? "" : "  WRONG"));
        out.flush();
    }

    private Map<String, Object> asJson(StoreReport report) {
        Map<String, Object> all = new LinkedHashMap<>();
        Map<String, Object> environment = new LinkedHashMap<>();
        environment.put("processors", Runtime.getRuntime().availableProcessors());
        environment.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.version"));
        all.put("environment", environment);
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("gibibytes", gibibytes);
        parameters.put("warm_up_requests", warmUp);
        parameters.put("repetitions", repetitions);
        parameters.put("seed", seed);
        all.put("parameters", parameters);
        all.putAll(report.asJson());
        return all;
    }
}
