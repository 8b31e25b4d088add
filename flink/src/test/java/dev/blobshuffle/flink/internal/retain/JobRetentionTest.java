package dev.blobshuffle.flink.internal.retain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.retention.Horizon;
import dev.blobshuffle.core.internal.retention.SweepTiming;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.Batcher;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobRetentionTest {
    private static final String JOB = "0123-ab";
    private static final SweepTiming QUICK = new SweepTiming(Duration.ofMillis(30), Duration.ofMillis(10));

    @TempDir
    private Path directory;

    private final SystemTime time = new SystemTime();
    private final List<BlobStore> open = new ArrayList<>();
    private String uri;

    @BeforeEach
    void nameStore() {
        uri = directory.toUri().toString();
    }

    @AfterEach
    void close() {
        open.forEach(BlobStore::close);
        time.close();
    }

    @Test
    void theTasksOfAJobAreOneOwnerAndEachJobIsAnother() {
        int owner = owner(store(JOB));

        assertThat(owner).isPositive().isEqualTo(owner(store(JOB)));
        assertThat(owner(store("0123-ac"))).isNotEqualTo(owner);
    }

    /** Its user deletes them when it has ended, and no file name says whose they are. */
    @Test
    void theLogSaysWhereTheBlobsOfAJobAre() {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        int owner;
        try {
            owner = owner(store(JOB));
        } finally {
            System.setErr(before);
        }

        assertThat(log.toString(StandardCharsets.UTF_8))
                .contains("job " + JOB + " are in flink/blobs/" + BlobId.hex(owner) + "/");
    }

    @Test
    void flinksBlobsAreInAPlaceOfTheirOwn() {
        assertThat(JobStore.below("s3://bucket/prefix?region=eu")).isEqualTo("s3://bucket/prefix/flink?region=eu");
        assertThat(JobStore.below("file:///a,/b/")).isEqualTo("file:///a/flink,/b/flink");
        assertThat(JobStore.below("memory://test")).isEqualTo("memory://test.flink");
    }

    @Test
    void blobsBelowTheHorizonsOfAllShufflesAreDeletedAndNoOtherJobs() throws IOException {
        BlobStore store = store(JOB);
        BlobStore other = store("0123-ac");
        store(store, 100, 200, 300);
        store(other, 100);
        AtomicReference<Optional<Horizon.Limit>> first = new AtomicReference<>(Optional.empty());
        AtomicReference<Optional<Horizon.Limit>> second = new AtomicReference<>(Optional.empty());
        JobRetention retention = retention(Map.of("blobshuffle.retention.floor.ms", "0"), first, second);
        retention.start();
        retention.start();
        retention.work();
        try {
            first.set(Optional.of(Horizon.Limit.below(301)));
            staysAt(store, 100, 200, 300);
            second.set(Optional.of(Horizon.Limit.below(200)));
            becomes(store, 200, 300);
            retention.end();
            second.set(Optional.of(Horizon.Limit.below(300)));
            becomes(store, 300);
        } finally {
            retention.end();
        }
        assertThat(generations(other)).containsExactly(100L);
    }

    @Test
    void theFloorProtectsWhatIsYoung() throws IOException {
        BlobStore store = store(JOB);
        store(store, 100);
        JobRetention retention = retention(Map.of(), new AtomicReference<>(Optional.of(Horizon.Limit.below(1_000))));
        retention.start();
        retention.work();
        try {
            staysAt(store, 100);
        } finally {
            retention.end();
        }
    }

    /** Long enough for several sweeps. */
    private static void staysAt(BlobStore store, long... expected) {
        await().during(Duration.ofMillis(500))
                .atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(generations(store))
                        .isEqualTo(LongStream.of(expected).boxed().toList()));
    }

    private static void becomes(BlobStore store, long... expected) {
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(generations(store))
                        .isEqualTo(LongStream.of(expected).boxed().toList()));
    }

    @SafeVarargs
    private JobRetention retention(Map<String, String> more, AtomicReference<Optional<Horizon.Limit>>... limits) {
        Map<String, String> given = new HashMap<>(more);
        given.put("blobshuffle.store", uri);
        JobRetention retention = new JobRetention(FlinkSettings.parse(given), JOB, Optional.of(QUICK));
        for (AtomicReference<Optional<Horizon.Limit>> limit : limits) {
            retention.add(now -> limit.get());
        }
        return retention;
    }

    private BlobStore store(String job) {
        BlobStore store = JobStore.open(uri, new StoreContext(time, RequestMeter.NONE), job);
        open.add(store);
        return store;
    }

    /** Copies of a real blob: a sweep keeps what it cannot read. */
    private void store(BlobStore store, long... generations) throws IOException {
        BatcherOptions options = BatcherOptions.builder().build();
        try (Batcher batcher = new Batcher(store, options, time, new ShuffleMetrics(time));
                Lane lane = batcher.lane("writer", new DroppingChannel())) {
            lane.output(new Partition("shuffle", 0), Zone.SINGLE).append(0, new byte[] {1}, 0, 1);
            lane.flush(Duration.ofMinutes(1));
        }
        long sealed = generations(store).get(generations(store).size() - 1);
        BlobId written = store.list(owner(store), sealed)
                .toCompletableFuture()
                .join()
                .get(0)
                .id();
        byte[] bytes = Files.readAllBytes(file(written));
        for (long generation : generations) {
            store.put(new BlobId(owner(store), generation, 7, 0), BlobContent.of(bytes))
                    .toCompletableFuture()
                    .join();
        }
        store.delete(List.of(written)).toCompletableFuture().join();
    }

    private Path file(BlobId id) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().contains(BlobId.hex(id.owner()))
                            && file.toString().endsWith("-" + id.sequence() + ".blob"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Loses all notifications. */
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
        public void flush() {
            // It holds nothing back.
        }
    }

    private static int owner(BlobStore store) {
        return store.owner().toCompletableFuture().join();
    }

    private static List<Long> generations(BlobStore store) {
        return store.generations(owner(store)).toCompletableFuture().join().stream()
                .filter(generation -> !store.list(owner(store), generation)
                        .toCompletableFuture()
                        .join()
                        .isEmpty())
                .sorted()
                .toList();
    }
}
