package dev.blobshuffle.core.internal.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.TestContainers;
import dev.blobshuffle.core.internal.format.Trailer;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.BlobStores;
import dev.blobshuffle.core.internal.write.Batcher;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sweeper over a file store and a log that has held records and leads to no blob. */
class SweeperTest {
    private static final Partition P0 = new Partition("orders", 0);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** With one more, a sweep takes them for another cluster's. */
    private static final int USUAL_ORPHANS = 100;

    @TempDir
    private Path directory;

    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics(time);
    private BlobStore store;

    @BeforeEach
    void openStore() {
        store = open();
    }

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    /** Without the probe of a checked opening, which {@link #blobs} would count. */
    private BlobStore open() {
        return BlobStores.openUnchecked(directory.toUri() + "?fsync=none", StoreContext.unmetered(time));
    }

    @Test
    void someOrphansAreWhatCrashesLeave() {
        storeOrphans(USUAL_ORPHANS);
        try (Sweeper sweeper = sweeper()) {
            awaitThat(() -> metrics.value(Counter.ORPHANS_SWEPT) == USUAL_ORPHANS);
            assertThat(blobs()).isZero();
        }
    }

    @Test
    void moreOrphansMayBeAnotherClustersBlobs() {
        storeOrphans(USUAL_ORPHANS + 1);
        try (Sweeper sweeper = sweeper()) {
            awaitThat(() -> metrics.value(Counter.SWEEP_FAILURES) >= 3);
            assertThat(blobs()).isEqualTo(USUAL_ORPHANS + 1);
        }
    }

    /** Its footer names no topics, so a sweep by Kafka cannot know that nobody needs it. */
    @Test
    void blobsOfOtherContentStay() {
        storeOrphans(1);
        long generation = store.generations().toCompletableFuture().join().get(0);
        for (ContentKind kind : List.of(ContentKind.ARROW, ContentKind.OPAQUE)) {
            BlobContent content = BlobContent.of(TestContainers.golden(kind));
            store.put(new BlobId(generation, 7, kind.code()), content)
                    .toCompletableFuture()
                    .join();
        }
        try (Sweeper sweeper = sweeper()) {
            awaitThat(() -> metrics.value(Counter.ORPHANS_SWEPT) == 1);
            long sweeps = metrics.value(Counter.SWEEPS);
            awaitThat(() -> metrics.value(Counter.SWEEPS) >= sweeps + 3);
            assertThat(blobs()).isEqualTo(2);
        }
    }

    /** They are whole, and an operator who reads "damaged" looks for a fault. */
    @Test
    void blobsOfOtherContentAreNotDamaged() throws Exception {
        storeOrphans(1);
        long generation = store.generations().toCompletableFuture().join().get(0);
        for (ContentKind kind : List.of(ContentKind.ARROW, ContentKind.OPAQUE)) {
            byte[] whole = TestContainers.golden(kind);
            put(new BlobId(generation, 7, kind.code()), whole);
            byte[] damaged = whole.clone();
            damaged[damaged.length - Trailer.LENGTH - 1] ^= 1;
            put(new BlobId(generation, 8, kind.code()), damaged);
        }
        Sweep sweep = new Sweep(
                store, SweepScope.everything(Set.of()), SweepPace.BESIDE_AN_APPLICATION, new StopSignal(time));
        SweepReport report = sweep.byAge(sweep.list(Optional.empty()));
        assertThat(report.listed()).isEqualTo(5);
        assertThat(report.otherContent()).isEqualTo(2);
        assertThat(report.damaged()).isEqualTo(2);
        assertThat(report.damagedExample().orElseThrow().writer()).isEqualTo(8);
        assertThat(report.unneeded()).isEqualTo(1);
        assertThat(report.plus(report).otherContent()).isEqualTo(4);
    }

    private void put(BlobId id, byte[] bytes) {
        store.put(id, BlobContent.of(bytes)).toCompletableFuture().join();
    }

    /**
     * What a sweep has decided on stays until the next one, if the right to it is lost meanwhile.
     */
    @Test
    void contestBetweenTheTwoStepsKeepsTheBlobs() {
        storeOrphans(3);
        AtomicInteger raises = new AtomicInteger();
        try (Sweeper sweeper = sweeper(new EmptyLogs() {
            @Override
            public void raise() {
                if (raises.incrementAndGet() > 1) {
                    throw new InvalidSettings("contested");
                }
            }
        })) {
            awaitThat(() -> metrics.value(Counter.SWEEP_FAILURES) >= 3);
            assertThat(blobs()).isEqualTo(3);
        }
    }

    private Sweeper sweeper() {
        return sweeper(new EmptyLogs());
    }

    private Sweeper sweeper(EmptyLogs logs) {
        SweepTiming often = new SweepTiming(Duration.ofMillis(20), Duration.ofMillis(5));
        Sweeper sweeper = new Sweeper(Optional.of(often), Optional.empty(), this::open, logs, metrics, time);
        sweeper.watch(Membership.none()).reading().reads(Set.of(P0));
        return sweeper;
    }

    private void storeOrphans(int count) {
        try (Batcher batcher = new Batcher(store, BatcherOptions.builder().build(), time, new ShuffleMetrics(time));
                Lane lane = batcher.lane("orphans", new DroppingChannel())) {
            for (int i = 0; i < count; i++) {
                lane.output(P0, Zone.SINGLE).append(0, null, new byte[] {1}, Headers.NONE);
                lane.flush(PATIENCE);
            }
        }
        assertThat(blobs()).isEqualTo(count);
    }

    private int blobs() {
        return store.generations().toCompletableFuture().join().stream()
                .mapToInt(generation ->
                        store.list(generation).toCompletableFuture().join().size())
                .sum();
    }

    private static void awaitThat(Callable<Boolean> condition) {
        await("sweeps").atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    /** Says that everything was delivered, and delivers nothing. */
    private static final class DroppingChannel implements Channel {
        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            delivery.delivered();
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            delivery.delivered();
        }

        @Override
        public void flush() {}
    }

    /** One log, which begins with its first record and leads to nothing. */
    private static class EmptyLogs implements SweepSource, NotificationLogs, SweepRight {
        @Override
        public boolean covers(String topic) {
            return true;
        }

        @Override
        public SweepRight right(BlobStore swept, Time clock) {
            return this;
        }

        @Override
        public NotificationLogs logs(Time clock) {
            return this;
        }

        @Override
        public void raise() {}

        @Override
        public void requireOwn() {}

        @Override
        public Set<String> topics() {
            return Set.of(P0.stream());
        }

        @Override
        public Map<Partition, Extent> read(Set<String> topics, Receiver receiver) {
            return topics.isEmpty() ? Map.of() : Map.of(P0, new Extent(0, 5));
        }

        @Override
        public void close() {}
    }
}
