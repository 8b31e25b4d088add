package dev.blobshuffle.cli.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.cli.BlobTopic;
import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CacheOptions.WhenWriting;
import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.cache.PeerNetworkProvider;
import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.CombiningSink;
import dev.blobshuffle.core.internal.combine.Hubs;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.format.record.FrameEncoder;
import dev.blobshuffle.core.internal.format.record.FrameHeaders;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordLayout;
import dev.blobshuffle.core.internal.format.record.SegmentSource;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.internal.write.upload.BlobSink;
import dev.blobshuffle.core.internal.write.upload.Placement;
import dev.blobshuffle.core.internal.write.upload.StoreSink;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs a cache that is a hub as a process, and stops, continues and kills it by signals. A
 * contributor beside it always ends with one blob that is stored.
 */
class CombiningCacheIT {
    private static final Zone ZONE = new Zone("a");
    private static final Partition PARTITION = new Partition("t", 0);
    private static final int OWNER = 7;

    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private int blobs;

    private Process start(String store, Path secret) throws IOException {
        return CacheProcess.start(
                directory.resolve("app.properties"),
                ZONE.name(),
                "blobshuffle.store=" + store + "\nblobshuffle.peer.secret.file=" + secret + "\n",
                "--combine",
                "--combine-buffer",
                "8MiB");
    }

    private static BlobStore owned(BlobStore store) {
        return new ForwardingBlobStore(store) {
            @Override
            public CompletionStage<Integer> owner() {
                return CompletableFuture.completedFuture(OWNER);
            }
        };
    }

    /**
     * Stores a blob through a sink, reads it through its notification; returns whether a hub stored
     * it.
     */
    private boolean isCombined(BlobSink sink, BlobStore origin) throws Exception {
        BlobId id = new BlobId(OWNER, 29_700_000, 0x11, ++blobs);
        byte[] body = new byte[1100];
        int length = RecordLayout.encode(body, 0, 0, null, new byte[1000], Headers.NONE);
        BlobLayout layout;
        try (FrameEncoder encoder = new FrameEncoder(Codec.NONE)) {
            layout = BlobLayout.of(
                    id,
                    origin.fingerprint(),
                    0,
                    List.of(new SegmentSource(
                            ZONE, PARTITION, "lane", 5, 5, List.of(encoder.encode(body, 0, length, 1, 5)))));
        }
        Placement placement = sink.put(id, layout, BlobContent.of(layout.buffers(), () -> {}))
                .toCompletableFuture()
                .get(1, TimeUnit.MINUTES);
        Notification segment = placement.notifications().get(0);
        BlobRange range = new BlobRange(
                segment.sectionOffset(), segment.sectionLength(), segment.segmentOffset(), segment.segmentLength());
        try (BlobBytes read =
                origin.get(placement.id(), range).toCompletableFuture().get(1, TimeUnit.MINUTES)) {
            assertThat(FrameHeaders.checksum(read.buffer(), PARTITION)).isEqualTo(segment.checksum());
        }
        return !placement.id().equals(id);
    }

    @Test
    void aHubThatIsStoppedOrKilledCostsOnlyRequests() throws Exception {
        Path secret = directory.resolve("secret");
        PrivateFiles.write(secret, "known to all members");
        String uri = "file://" + directory.resolve("blobs").toAbsolutePath() + "?fsync=none";
        // Creates the store, because the cache does not.
        BlobStores.open(uri, StoreContext.unmetered(time)).close();
        Process process = start(uri, secret);
        try (BlobStore origin = owned(BlobStores.open(uri, StoreContext.unmetered(time)));
                PeerNetwork network = PeerNetworkProvider.openInstalled(
                        KafkaSettings.parse(Map.of(
                                "blobshuffle.peer.secret.file", secret.toString(), "blobshuffle.zone", ZONE.name())),
                        metrics,
                        time);
                BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            assertThat(line).startsWith("Answers in zone a at ");
            String endpoint = line.substring(line.lastIndexOf(' ') + 1);
            CacheOptions small = new CacheOptions(ZONE, 1, List.of(), 0, CacheUnit.SECTION, WhenWriting.FORGET);
            assertThat(network.serve(Caches.before(origin, small, metrics, time)))
                    .isEmpty();
            BlobSink sink = new CombiningSink(
                    new StoreSink(origin),
                    origin,
                    network.handOver(),
                    new Hubs(
                            new FixedZoneMap(FixedZoneMap.caches(List.of("a=" + endpoint))),
                            ZONE,
                            1,
                            Optional.empty(),
                            time),
                    CombineOptions.of(4 << 20, 16 << 20, 64 << 20),
                    time,
                    metrics);

            BlobTopic.waitFor("a combined blob").until(() -> isCombined(sink, origin));
            CacheProcess.signal(process, "STOP");
            assertThat(isCombined(sink, origin)).isFalse();
            assertThat(metrics.value(Counter.PARTS_LOST) + metrics.value(Counter.PARTS_SLOW))
                    .isPositive();
            CacheProcess.signal(process, "CONT");
            BlobTopic.waitFor("a combined blob again").until(() -> isCombined(sink, origin));
            process.destroyForcibly().waitFor();
            assertThat(isCombined(sink, origin)).isFalse();
        } finally {
            process.destroyForcibly();
            time.close();
        }
    }
}
