package dev.blobshuffle.peer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.engine.ShuffleEngine.Stores;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import dev.blobshuffle.testkit.internal.servers.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Engines that are opened with settings alone: records come out right whatever the members of the
 * zone do.
 */
class EngineInZoneIT {
    private static final Partition PARTITION = new Partition("t", 0);
    private static final int BLOBS = 20;

    @TempDir
    Path directory;

    private final List<Notification> notifications = Collections.synchronizedList(new ArrayList<>());
    private Path secret;

    @BeforeEach
    void writeSecret() throws Exception {
        secret = directory.resolve("secret");
        PrivateFiles.write(secret, "known to all members\n");
    }

    private ShuffleEngine open(Map<String, String> more) {
        return ShuffleEngine.open(settings(more));
    }

    private Settings settings(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "blobshuffle.store",
                directory.resolve("blobs").toUri().toString(),
                "blobshuffle.zone",
                "a",
                "blobshuffle.cache.zone.enabled",
                "true",
                "blobshuffle.peer.secret.file",
                secret.toString()));
        settings.putAll(more);
        return KafkaSettings.parse(settings);
    }

    private List<String> write(ShuffleEngine engine) throws Exception {
        List<String> expected = new ArrayList<>();
        try (Lane lane = engine.lane("writer", new NotificationList())) {
            for (int blob = 0; blob < BLOBS; blob++) {
                for (int i = 0; i < 50; i++) {
                    String value = "value " + blob + " " + i;
                    lane.output(PARTITION, Zone.SINGLE)
                            .append(i, null, value.getBytes(StandardCharsets.UTF_8), Headers.NONE);
                    expected.add(value);
                }
                lane.flush(Duration.ofMinutes(1));
            }
        }
        return expected;
    }

    private final class NotificationList implements Channel {
        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            notifications.add(notification);
            delivery.delivered();
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            throw new AssertionError("nothing is inlined");
        }

        @Override
        public void flush() {}
    }

    private List<String> read(ShuffleEngine engine) throws Exception {
        List<String> values = new ArrayList<>();
        Debatcher.Sink<String> sink = new Debatcher.Sink<>() {
            @Override
            public void record(
                    Partition partition, long offset, int index, int count, RecordView record, String carrier) {
                values.add(new String(record.value(), StandardCharsets.UTF_8));
            }

            @Override
            public void plain(Partition partition, long offset, String plain) {
                throw new AssertionError("nothing was inlined");
            }
        };
        try (Debatcher<String> debatcher = engine.debatcher("reader")) {
            long offset = 0;
            for (Notification notification : notifications) {
                debatcher.offer(PARTITION, offset++, notification, 0, "carrier");
            }
            debatcher.prefetch();
            while (debatcher.undelivered(PARTITION) > 0) {
                debatcher.awaitProgress(Duration.ofSeconds(10));
                int ignored = debatcher.drain(1000, 1 << 20, sink);
                debatcher.prefetch();
            }
        }
        return values;
    }

    @Test
    void anInstanceThatIsListedServesWhatItWroteToTheOthers() throws Exception {
        String endpoint = "127.0.0.1:" + FreePort.take();
        Map<String, String> members = Map.of("blobshuffle.cache.zone.members", "a=" + endpoint + ",b=127.0.0.1:1");
        Map<String, String> listed = new HashMap<>(members);
        listed.put("blobshuffle.peer.listen", endpoint);
        try (ShuffleEngine writer = open(listed);
                ShuffleEngine reader = open(members)) {
            assertThat(writer.member().orElseThrow().endpoint()).isEqualTo(Endpoint.parse(endpoint));
            awaitReadsOfCachesOnly(List.of(writer, reader), () -> {
                notifications.clear();
                List<String> expected = write(writer);
                assertThat(read(reader)).isEqualTo(expected);
                assertThat(read(writer)).isEqualTo(expected);
            });
            assertThat(reader.metrics().value(Counter.CACHE_ZONE_HITS)).isPositive();
        }
    }

    /**
     * A member that does not answer for half a second is passed over, and the store is asked. A
     * busy machine may stand still for that long, above all at the first request: then once more.
     */
    private static void awaitReadsOfCachesOnly(List<ShuffleEngine> engines, Reads reads) {
        await("reads that the store does not see")
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .atMost(Duration.ofMinutes(2))
                .ignoreExceptionsMatching(failure -> failure.getCause() instanceof BlobMissingException)
                .until(() -> {
                    long before = gets(engines);
                    reads.run();
                    return gets(engines) == before;
                });
    }

    /** One round of reads. */
    @FunctionalInterface
    private interface Reads {
        void run() throws Exception;
    }

    private static long gets(List<ShuffleEngine> engines) {
        return engines.stream()
                .mapToLong(engine -> engine.metrics().value(Counter.GETS))
                .sum();
    }

    /** A blob of which the store has nothing: its writer has it in a file. */
    @Test
    void aMemberReadsWhatItsWriterHasNotStoredYet() throws Exception {
        BlobId id = new BlobId(1, 2, 3);
        Path file = Files.write(directory.resolve("sealed"), new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        String endpoint = "127.0.0.1:" + FreePort.take();
        Map<String, String> members = Map.of("blobshuffle.cache.zone.members", "a=" + endpoint);
        Map<String, String> listed = new HashMap<>(members);
        listed.put("blobshuffle.peer.listen", endpoint);
        SystemTime time = new SystemTime();
        Settings settings = settings(listed);
        Stores stores = new Stores(BlobStores::open, store -> new OneFileStore(store, id, file));
        ZoneMap alone = new FixedZoneMap(FixedZoneMap.caches(settings.value(CacheSettings.ZONE_MEMBERS)));
        try (ShuffleEngine writer = ShuffleEngine.open(
                        settings, BatcherOptions.builder(settings).build(), alone, time, stores);
                ShuffleEngine reader = open(members)) {
            awaitReadsOfCachesOnly(List.of(writer, reader), () -> {
                assertThat(bytes(reader, id)).containsExactly(3, 4, 5);
                assertThat(bytes(writer, id)).containsExactly(3, 4, 5);
            });
            assertThat(reader.metrics().value(Counter.CACHE_ZONE_HITS)).isEqualTo(1);
        } finally {
            time.close();
        }
    }

    private static byte[] bytes(ShuffleEngine engine, BlobId id) throws Exception {
        try (BlobBytes bytes = engine.store()
                .get(id, new BlobRange(0, 8, 2, 3))
                .toCompletableFuture()
                .get(1, TimeUnit.MINUTES)) {
            byte[] copy = new byte[bytes.buffer().remaining()];
            bytes.buffer().duplicate().get(copy);
            return copy;
        }
    }

    /** Has one blob in a file. */
    private static final class OneFileStore extends ForwardingBlobStore {
        private final BlobId has;
        private final Path file;

        OneFileStore(BlobStore store, BlobId has, Path file) {
            super(store);
            this.has = has;
            this.file = file;
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            if (!id.equals(has)) {
                return store().get(id, range);
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) range.length());
            try (FileChannel channel = PrivateFiles.read(file)) {
                int ignored = channel.read(bytes, range.offset());
            } catch (IOException e) {
                return CompletableFuture.failedFuture(new UncheckedIOException(e));
            }
            return CompletableFuture.completedFuture(BlobBytes.of(bytes.flip()));
        }
    }

    @Test
    void garbageFromAMemberIsFoundAndTheStoreAsked() throws Exception {
        Random random = new Random(3);
        try (StrangePeer liar = StrangePeer.that((length, out) -> {
            byte[] garbage = new byte[length];
            random.nextBytes(garbage);
            out.write(StrangePeer.head("206 Partial Content", length));
            out.write(garbage);
        })) {
            Map<String, String> members = Map.of("blobshuffle.cache.zone.members", "a=" + liar.endpoint());
            try (ShuffleEngine writer = open(members);
                    ShuffleEngine reader = open(members)) {
                List<String> expected = write(writer);
                assertThat(read(reader)).isEqualTo(expected);
                assertThat(reader.metrics().value(Counter.CACHE_ZONE_FAILURES)).isPositive();
                assertThat(reader.metrics().value(Counter.CACHE_ZONE_HITS)).isZero();
                assertThat(reader.metrics().value(Counter.GETS)).isPositive();
            }
        }
    }

    @Test
    void aSecretThatDiffersCostsRequestsAndNothingElse() throws Exception {
        String endpoint = "127.0.0.1:" + FreePort.take();
        Map<String, String> members = Map.of("blobshuffle.cache.zone.members", "a=" + endpoint);
        Map<String, String> listed = new HashMap<>(members);
        listed.put("blobshuffle.peer.listen", endpoint);
        Path other = directory.resolve("other secret");
        PrivateFiles.write(other, "known to somebody else\n");
        Map<String, String> stranger = new HashMap<>(members);
        stranger.put("blobshuffle.peer.secret.file", other.toString());
        try (ShuffleEngine writer = open(listed);
                ShuffleEngine reader = open(stranger)) {
            List<String> expected = write(writer);
            assertThat(read(reader)).isEqualTo(expected);
            assertThat(reader.metrics().value(Counter.CACHE_ZONE_HITS)).isZero();
            assertThat(writer.metrics().value(Counter.PEER_REFUSALS)).isPositive();
        }
    }

    @Test
    void anAddressThatIsTakenIsRefusedAtStart() throws Exception {
        try (StrangePeer taken = StrangePeer.silent()) {
            assertThatThrownBy(() -> open(
                            Map.of("blobshuffle.peer.listen", taken.endpoint().toString())))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("peer.listen");
        }
    }
}
