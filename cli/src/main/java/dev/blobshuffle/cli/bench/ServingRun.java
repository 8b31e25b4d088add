package dev.blobshuffle.cli.bench;

import dev.blobshuffle.bench.process.CpuTime;
import dev.blobshuffle.core.cache.CacheOptions;
import dev.blobshuffle.core.cache.Caches;
import dev.blobshuffle.core.cache.PeerNetwork;
import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.membership.Endpoint;
import dev.blobshuffle.core.membership.Member;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
import dev.blobshuffle.core.settings.Settings;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStores;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.peer.HttpPeerNetwork;
import dev.blobshuffle.peer.PeerOptions;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/**
 * One measured run of a cache that runs by itself as a process of its own: readers in this process ask it for random ranges and check every one. The CPU time is the
 * server's alone.
 */
final class ServingRun implements AutoCloseable {
    private static final int BLOBS = 12;
    private static final int BLOB_LENGTH = 16 << 20;
    private static final double BYTES_PER_GIB = 1 << 30;

    /** Measured is the cost of answers, also where the machine is too busy to give them soon. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path directory;
    private final ServingPlan plan;
    private final SystemTime time = new SystemTime();
    private final BlobStore store;
    private final byte[][] blobs = new byte[BLOBS][];
    private final ServerProcess server;
    private final PeerNetwork network;
    private final Member member;

    /** Stores blobs in a directory, starts a server and connects to it. */
    ServingRun(Path directory, ServingPlan plan) throws IOException, InterruptedException {
        this.directory = directory;
        this.plan = plan;
        String uri = "file://" + directory.resolve("blobs").toAbsolutePath() + "?fsync=none";
        store = BlobStores.open(uri, StoreContext.unmetered(time));
        storeBlobs();
        Map<String, String> security = security();
        server = ServerProcess.start(directory, arguments(uri, security));
        Map<String, String> settings = new HashMap<>(Map.of(Settings.ZONE.name(), "bench"));
        security.forEach((option, file) -> settings.put(SETTINGS.get(option), file));
        PeerOptions options = PeerOptions.of(Settings.parse(settings));
        network = new HttpPeerNetwork(
                new PeerOptions(
                        options.zone(),
                        options.listen(),
                        options.advertised(),
                        options.secret(),
                        options.tls(),
                        PATIENCE,
                        options.limits()),
                new ShuffleMetrics(),
                time);
        var ignored = network.serve(Caches.before(store, CacheOptions.none(), new ShuffleMetrics(), time));
        member = new Member(1, Endpoint.parse(server.endpoint()), options.zone(), Set.of(), 1);
    }

    private static final Map<String, String> SETTINGS = Map.of(
            "--secret-file", Settings.PEER_SECRET_FILE.name(),
            "--tls-certificate", Settings.PEER_TLS_CERTIFICATE_FILE.name(),
            "--tls-key", Settings.PEER_TLS_KEY_FILE.name(),
            "--tls-trust", Settings.PEER_TLS_TRUST_FILE.name());

    private void storeBlobs() throws IOException, InterruptedException {
        Path file = directory.resolve("blobs");
        for (int i = 0; i < BLOBS; i++) {
            blobs[i] = new byte[BLOB_LENGTH];
            new Random(i).nextBytes(blobs[i]);
            try {
                store.put(id(i), new HeldContent(blobs[i]))
                        .toCompletableFuture()
                        .get(1, TimeUnit.MINUTES);
            } catch (ExecutionException | TimeoutException e) {
                throw new IOException("Cannot store a blob in " + file + ": " + e + ". Check the room.", e);
            }
        }
    }

    private static BlobId id(int number) {
        return new BlobId(29_700_000, 0xBE7C, number);
    }

    private Map<String, String> security() throws IOException, InterruptedException {
        Path secret = directory.resolve("secret");
        Files.writeString(
                secret, Long.toHexString(time.randomLong()) + Long.toHexString(time.randomLong()) + "-secret");
        Map<String, String> options = new HashMap<>(Map.of("--secret-file", secret.toString()));
        if (plan.transport() == ServingPlan.Transport.TLS) {
            BenchCertificate certificate = BenchCertificate.create(directory);
            options.put("--tls-certificate", certificate.certificate().toString());
            options.put("--tls-key", certificate.key().toString());
            options.put("--tls-trust", certificate.certificate().toString());
        }
        return options;
    }

    private List<String> arguments(String uri, Map<String, String> security) {
        List<String> arguments =
                new ArrayList<>(List.of("cache", "--zone", "bench", "--listen", "127.0.0.1:0", "--store", uri));
        if (plan.tier() == ServingPlan.Tier.MEMORY) {
            arguments.addAll(List.of("--capacity", 2L * BLOBS * BLOB_LENGTH + ""));
        } else {
            arguments.addAll(List.of("--capacity", 2L * BLOB_LENGTH + ""));
            arguments.addAll(List.of("--disk-dir", directory.resolve("cache").toString()));
        }
        security.forEach((option, file) -> arguments.addAll(List.of(option, file)));
        return arguments;
    }

    /** Loads what will be served, warms up, and measures. */
    Served measure() throws IOException, InterruptedException {
        for (int i = 0; i < BLOBS; i++) {
            read(i, 0, 1 << 16); // The server loads the whole section.
            if (plan.tier() == ServingPlan.Tier.DISK) {
                awaitFiles(i + 1);
            }
        }
        readMany(plan.warmUpBytes());
        CpuTime before = CpuTime.of(List.of(server.pid()));
        long start = time.nanos();
        long bytes = readMany(plan.bytes());
        double seconds = (time.nanos() - start) / 1e9;
        CpuTime used = CpuTime.of(List.of(server.pid())).since(before);
        double gibibytes = bytes / BYTES_PER_GIB;
        return new Served(
                plan, gibibytes, gibibytes / seconds, (used.total() - used.compilers()) / gibibytes, used.compilers());
    }

    /** Parts are kept in the background, and given up when they come too fast. */
    private void awaitFiles(int count) throws IOException {
        long deadline = time.nanos() + TimeUnit.MINUTES.toNanos(1);
        long found = 0;
        while (found < count) {
            found = 0;
            try (DirectoryStream<Path> stores = Files.newDirectoryStream(directory.resolve("cache"), "parts-*")) {
                for (Path parts : stores) {
                    try (DirectoryStream<Path> files = Files.newDirectoryStream(parts, "*.part")) {
                        for (Path ignored : files) {
                            found++;
                        }
                    }
                }
            }
            if (time.nanos() - deadline > 0) {
                throw new IOException("The server cached " + found + " of " + count + " blobs on disk. See its log in "
                        + directory + ".");
            }
            Thread.onSpinWait();
        }
    }

    private long readMany(long bytes) throws IOException, InterruptedException {
        AtomicLong left = new AtomicLong(bytes);
        ExecutorService readers = Executors.newFixedThreadPool(plan.readers());
        try {
            List<Future<Long>> all = new ArrayList<>();
            for (int i = 0; i < plan.readers(); i++) {
                Random random = new Random(i);
                all.add(readers.submit(() -> readUntilNoneAreLeft(random, left)));
            }
            long sum = 0;
            for (Future<Long> one : all) {
                sum += one.get();
            }
            return sum;
        } catch (ExecutionException e) {
            throw new IOException("Cannot read: " + e.getCause() + ". See the server's log in " + directory + ".", e);
        } finally {
            readers.shutdownNow();
        }
    }

    private long readUntilNoneAreLeft(Random random, AtomicLong left) throws IOException, InterruptedException {
        long read = 0;
        while (left.addAndGet(-plan.rangeBytes()) >= 0) {
            read(
                    random.nextInt(BLOBS),
                    8 * random.nextInt((BLOB_LENGTH - plan.rangeBytes()) / 8 + 1),
                    plan.rangeBytes());
            read += plan.rangeBytes();
        }
        return read;
    }

    private void read(int blob, int offset, int length) throws IOException, InterruptedException {
        BlobRange range = new BlobRange(0, BLOB_LENGTH, offset, length);
        try (BlobBytes bytes = network.client()
                .get(member, id(blob), range)
                .toCompletableFuture()
                .get(1, TimeUnit.MINUTES)) {
            CRC32C came = new CRC32C();
            came.update(bytes.buffer());
            CRC32C expected = new CRC32C();
            expected.update(blobs[blob], offset, length);
            if (came.getValue() != expected.getValue()) {
                throw new IOException("The server sent other bytes than were stored. The benchmark is void.");
            }
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        network.close();
        server.close();
        store.close();
        time.close();
    }
}
