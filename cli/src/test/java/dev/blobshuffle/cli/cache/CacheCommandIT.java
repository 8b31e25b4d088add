package dev.blobshuffle.cli.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.BlobTopic;
import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CacheOptions.WhenWriting;
import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.cache.PeerNetworkProvider;
import dev.blobshuffle.core.internal.cache.ZoneCachedBlobStore;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Runs the cache of a zone as a process, and stops, continues and kills it by signals. A reader
 * beside it never reads a wrong byte and never waits for long.
 */
class CacheCommandIT {
    private static final Zone ZONE = new Zone("a");
    private static final int LENGTH = 100_000;

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private int blobs;

    private Process start(String store, Path secret) throws IOException {
        return CacheProcess.start(
                directory.resolve("app.properties"),
                ZONE.name(),
                "blobshuffle.store=" + store + "\nblobshuffle.peer.secret.file=" + secret
                        + "\nblobshuffle.peer.listen=127.0.0.1:1\n",
                "--metrics-listen",
                "127.0.0.1:0");
    }

    private void putAndRead(BlobStore origin, BlobStore zoned) throws Exception {
        BlobId id = new BlobId(29_700_000, 0x11, ++blobs);
        byte[] bytes = new byte[LENGTH];
        new Random(blobs).nextBytes(bytes);
        TrackedContent content = loans.content(bytes.clone());
        origin.put(id, content).toCompletableFuture().get(1, TimeUnit.MINUTES);
        content.release();
        BlobRange range = new BlobRange(0, LENGTH, 1000, 50_000);
        try (BlobBytes read = zoned.get(id, range).toCompletableFuture().get(1, TimeUnit.MINUTES)) {
            assertThat(read.buffer()).isEqualTo(ByteBuffer.wrap(bytes, 1000, 50_000));
        }
    }

    @Test
    void aCacheThatIsStoppedOrKilledCostsLittleTimeAndNothingElse() throws Exception {
        Path secret = directory.resolve("secret");
        PrivateFiles.write(secret, "known to all members");
        String uri = "file://" + directory.resolve("blobs").toAbsolutePath() + "?fsync=none";
        // Creates the store, because the cache does not.
        BlobStores.open(uri, StoreContext.unmetered(time)).close();
        Process process = start(uri, secret);
        try (BlobStore origin = BlobStores.open(uri, StoreContext.unmetered(time));
                PeerNetwork network = PeerNetworkProvider.openInstalled(
                        KafkaSettings.parse(Map.of(
                                "blobshuffle.peer.secret.file", secret.toString(), "blobshuffle.zone", ZONE.name())),
                        metrics,
                        time);
                BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            assertThat(line).startsWith("Answers in zone a at ");
            String endpoint = line.substring(line.lastIndexOf(' ') + 1);
            assertThat(read("http://" + endpoint + "/health")).isEqualTo("ok\n");
            String shown = lines.readLine();
            assertThat(shown).startsWith("Shows metrics at http://");
            assertThat(read(shown.substring(shown.lastIndexOf(' ') + 1)))
                    .contains("blobshuffle_cache_memory_hits_total{zone=\"a\"} 0\n");
            CacheOptions small = new CacheOptions(ZONE, 1, List.of(), 0, CacheUnit.SECTION, WhenWriting.FORGET);
            CachedBlobStore local = Caches.before(origin, small, metrics, time);
            assertThat(network.serve(local)).isEmpty();
            FixedZoneMap members = new FixedZoneMap(FixedZoneMap.caches(List.of("a=" + endpoint)));
            BlobStore zoned = new ZoneCachedBlobStore(local, ZONE, 1, members, network.client(), time, metrics);

            readUntilHit(origin, zoned);
            CacheProcess.signal(process, "STOP");
            long failures = metrics.value(Counter.CACHE_ZONE_FAILURES);
            int reads = 20;
            for (int i = 0; i < reads; i++) {
                putAndRead(origin, zoned);
            }
            // After a failure the reader skips the cache for a pause. Pauses double, so five
            // attempts take fifteen seconds.
            assertThat(metrics.value(Counter.CACHE_ZONE_FAILURES) - failures)
                    .as("reads that waited for it")
                    .isBetween(1L, 7L);
            assertThat(metrics.value(Counter.CACHE_ZONE_BYPASSES)).isPositive();
            CacheProcess.signal(process, "CONT");
            readUntilHit(origin, zoned);
            process.destroyForcibly().waitFor();
            putAndRead(origin, zoned);
        } finally {
            process.destroyForcibly();
            time.close();
        }
    }

    /** Reads until the cache answers. A reader tries a failed member again after a pause. */
    private void readUntilHit(BlobStore origin, BlobStore zoned) throws Exception {
        long hits = metrics.value(Counter.CACHE_ZONE_HITS);
        BlobTopic.waitFor("an answer of the cache").until(() -> {
            putAndRead(origin, zoned);
            return metrics.value(Counter.CACHE_ZONE_HITS) > hits;
        });
    }

    private static String read(String url) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void whatCannotWorkIsSaidAtOnce() {
        StringWriter err = new StringWriter();
        int status = new CommandLine(new CacheCommand())
                .setErr(new PrintWriter(err, true))
                .execute(
                        "--zone",
                        "a",
                        "--listen",
                        "127.0.0.1:0",
                        "--capacity",
                        "64 MiB",
                        "--store",
                        "memory://cache-command");
        time.close();
        assertThat(status).isEqualTo(2);
        assertThat(err.toString()).contains("peer.secret.file");
    }
}
