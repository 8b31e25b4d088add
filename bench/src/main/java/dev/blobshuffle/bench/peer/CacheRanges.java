package dev.blobshuffle.bench.peer;

import dev.blobshuffle.bench.process.StartedServer;
import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.peer.internal.HttpPeerNetwork;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.CRC32C;

/**
 * Reads from a {@code blobshuffle cache} in front of a file store, over the protocol of members.
 * Thread-safe, except {@link #load}.
 */
final class CacheRanges implements Ranges {
    /** Long, because the run measures the cost of answers even if a busy machine delays them. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Map<String, String> SETTINGS = Map.of(
            "--secret-file", PeerSettings.SECRET_FILE.name(),
            "--transport", PeerSettings.TRANSPORT.name());

    private final Path directory;
    private final ServingPlan plan;
    private final int blobLength;
    private final SystemTime time = new SystemTime();
    private final BlobStore store;
    private final StartedServer server;
    private final PeerNetwork network;
    private final Member member;
    private int loaded;

    /** Stores the blobs, starts a server and connects to it. */
    CacheRanges(Path directory, ServingPlan plan, String commandLine, byte[][] blobs)
            throws IOException, InterruptedException {
        this.directory = directory;
        this.plan = plan;
        blobLength = blobs[0].length;
        String uri = "file://" + directory.resolve("blobs").toAbsolutePath() + "?fsync=none";
        store = BlobStores.open(uri, StoreContext.unmetered(time));
        storeBlobs(blobs);
        Map<String, String> security = security();
        server = StartedServer.start(directory, commandLine, List.of(), arguments(uri, security, blobs.length));
        Map<String, String> settings = new HashMap<>(Map.of(ZoneSettings.ZONE.name(), "bench"));
        security.forEach((option, file) -> settings.put(SETTINGS.get(option), file));
        PeerOptions options = PeerOptions.of(EngineSettings.parse(settings), time);
        network = new HttpPeerNetwork(
                new PeerOptions(
                        options.zone(),
                        options.listen(),
                        options.advertised(),
                        options.trust(),
                        PATIENCE,
                        options.limits()),
                new ShuffleMetrics(),
                time);
        var ignored = network.serve(Caches.before(store, CacheOptions.none(), new ShuffleMetrics(), time));
        member = new Member(1, Endpoint.parse(server.endpoint()), options.zone(), Set.of(), 1);
    }

    private void storeBlobs(byte[][] blobs) throws IOException, InterruptedException {
        for (int i = 0; i < blobs.length; i++) {
            try {
                store.put(id(i), BlobContent.of(blobs[i])).toCompletableFuture().get(1, TimeUnit.MINUTES);
            } catch (ExecutionException | TimeoutException e) {
                throw new IOException("Cannot store a blob in " + directory + ": " + e + ". Check the room.", e);
            }
        }
    }

    private static BlobId id(int number) {
        return new BlobId(29_700_000, 0xBE7C, number);
    }

    private Map<String, String> security() throws IOException {
        Path secret = directory.resolve("secret");
        PrivateFiles.write(
                secret, Long.toHexString(time.randomLong()) + Long.toHexString(time.randomLong()) + "-secret");
        Map<String, String> options = new HashMap<>(Map.of("--secret-file", secret.toString()));
        options.put(
                "--transport",
                switch (plan.transport()) {
                    case PLAIN -> "auto";
                    case TLS -> "tls";
                    case MAC -> "mac";
                });
        return options;
    }

    private List<String> arguments(String uri, Map<String, String> security, int blobs) {
        List<String> arguments =
                new ArrayList<>(List.of("cache", "--zone", "bench", "--listen", "127.0.0.1:0", "--store", uri));
        if (plan.tier() == ServingPlan.Tier.MEMORY) {
            arguments.addAll(List.of("--capacity", 2L * blobs * blobLength + ""));
        } else {
            arguments.addAll(List.of("--capacity", 2L * blobLength + ""));
            arguments.addAll(List.of("--disk-dir", directory.resolve("cache").toString()));
        }
        security.forEach((option, file) -> arguments.addAll(List.of(option, file)));
        return arguments;
    }

    @Override
    public long pid() {
        return server.pid();
    }

    /** Reads a part, which makes the server load the whole section. */
    @Override
    public void load(int blob) throws IOException, InterruptedException {
        long ignored = checksum(blob, 0, 1 << 16);
        loaded++;
        if (plan.tier() == ServingPlan.Tier.DISK) {
            awaitFiles(loaded);
        }
    }

    /**
     * Waits for files in the cache. The server writes parts in the background, and skips parts that
     * arrive too fast.
     */
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

    @Override
    public long checksum(int blob, int offset, int length) throws IOException, InterruptedException {
        BlobRange range = new BlobRange(0, blobLength, offset, length);
        try (BlobBytes bytes = network.client()
                .get(member, id(blob), range)
                .toCompletableFuture()
                .get(1, TimeUnit.MINUTES)) {
            CRC32C came = new CRC32C();
            came.update(bytes.buffer());
            return came.getValue();
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
