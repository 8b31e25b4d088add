package dev.blobshuffle.spark.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerReader;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.spark.internal.directory.BlobDirectory;
import dev.blobshuffle.spark.internal.directory.DirectoryClient;
import dev.blobshuffle.spark.internal.directory.TestApplication;
import dev.blobshuffle.spark.internal.directory.Whereabouts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MapBatcherTest {
    private static final Duration AGE = Duration.ofSeconds(30);
    private static final Duration AWAY_AGE = Duration.ofSeconds(1);
    private static final PackingRule KEEP =
            new PackingRule(10_000, Integer.MAX_VALUE, AGE, AWAY_AGE, PackingRule.WhenStored.KEEP);

    @TempDir
    private Path files;

    private static final int OWNER = 42;

    private volatile boolean isTight;
    private final MemoryBlobStore store = new MemoryBlobStore("test", 100 << 20);
    private final BlobDirectory directory = new BlobDirectory(new TestApplication());
    private final DirectoryClient client =
            new DirectoryClient(directory::answer, new Whereabouts.Endpoint("1", "host", 7), Zone.SINGLE);

    private MapBatcher batcher(BlobStore blobs, PackingRule rule, Time time) {
        return new MapBatcher(new MapBatcher.Target(blobs, OWNER, "app-1"), client, rule, file -> isTight, time);
    }

    private boolean isStored(BlobId blob) {
        return store.list(OWNER, blob.generation()).toCompletableFuture().join().stream()
                .anyMatch(stored -> stored.id().equals(blob));
    }

    @Test
    void mapsOfAShuffleShareABlobThatIsUploadedWhenItIsOld() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(store, KEEP, time);
            BlobId blob = batcher.add(Outputs.of(files, 1, 0, 10, 500, 700)).orElseThrow();
            assertThat(batcher.add(Outputs.of(files, 1, 1, 11, 500, 0))).contains(blob);
            assertThat(batcher.add(Outputs.of(files, 2, 0, 12, 500)))
                    .isPresent()
                    .isNotEqualTo(blob);

            time.settle(AGE.minusSeconds(1));
            assertThat(isStored(blob)).isFalse();
            assertThat(client.refresh(blob).length()).isEmpty();

            time.settle(Duration.ofSeconds(2));
            assertThat(isStored(blob)).isTrue();
            assertThat(client.refresh(blob).length()).isPresent();
            assertThat(client.refresh(blob).writer()).contains(client.self());
            assertThat(batcher.pending()).isZero();
            assertThat(batcher.add(Outputs.of(files, 1, 2, 13, 500, 500)))
                    .as("a blob that is stored takes no further map")
                    .isPresent()
                    .isNotEqualTo(Optional.of(blob));
        }
    }

    /** Our object stores take content of any length, and a sparse file needs no disk. */
    @Test
    @Tag("nightly")
    void aPartitionMayBeLongerThanTwoGibibytes() throws IOException {
        long length = 3L << 30;
        MapOutput output = Outputs.sparse(files, length);
        BlobContent content = BlobWriting.content(new BlobId(1, 2, 3), 0, "app-1", List.of(output), 0);
        int tail = Math.toIntExact(content.length() - length);
        ByteBuffer last = content.buffers().get(content.buffers().size() - 1);
        Container container =
                ContainerReader.footer(new BlobId(1, 2, 3), last.slice(last.limit() - tail, tail), content.length());

        assertThat(container.segments()).hasSize(1);
        assertThat(container.segments().get(0).length()).isEqualTo(length);
        content.release();
    }

    @Test
    void aShuffleThatIsRemovedEarlierCausesNoRequest() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(store, KEEP, time);
            BlobId blob = batcher.add(Outputs.of(files, 1, 0, 10, 500)).orElseThrow();
            batcher.drop(1);
            assertThat(directory.removeShuffle(1)).isEmpty();

            time.settle(AGE.multipliedBy(3));
            assertThat(isStored(blob)).isFalse();
            assertThat(batcher.pending()).isZero();
            assertThat(directory.size()).isZero();
        }
    }

    /** It is removed at the driver while the executor uploads. */
    @Test
    void aBlobOfARemovedShuffleIsDeletedByItsWriter() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(store, KEEP, time);
            BlobId blob = batcher.add(Outputs.of(files, 1, 0, 10, 500)).orElseThrow();
            assertThat(directory.removeShuffle(1)).isEmpty();

            time.settle(AGE.multipliedBy(3));
            assertThat(isStored(blob)).isFalse();
        }
    }

    @Test
    void aFullBlobTakesNoFurtherMap() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(store, KEEP, time);
            BlobId first = batcher.add(Outputs.of(files, 1, 0, 10, 10_000)).orElseThrow();
            BlobId second = batcher.add(Outputs.of(files, 1, 1, 11, 9_000)).orElseThrow();

            assertThat(second).isNotEqualTo(first);
            assertThat(batcher.add(Outputs.of(files, 1, 2, 12, 40_000)))
                    .as("a large map does not join one that has bytes already")
                    .isPresent()
                    .isNotEqualTo(Optional.of(second));
        }
    }

    @Test
    void aBlobHasABoundedNumberOfSegments() {
        PackingRule large = new PackingRule(1 << 30, Integer.MAX_VALUE, AGE, AWAY_AGE, PackingRule.WhenStored.KEEP);
        long[] lengths = new long[40_000];
        Arrays.fill(lengths, 64);
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(store, large, time);
            BlobId first = batcher.add(Outputs.of(files, 1, 0, 10, lengths)).orElseThrow();

            assertThat(batcher.add(Outputs.of(files, 1, 1, 11, lengths)))
                    .isPresent()
                    .isNotEqualTo(Optional.of(first));
        }
    }

    @Test
    void outputsThatAFooterWouldOutweighStayWithSpark() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(store, KEEP, time);
            assertThat(batcher.add(Outputs.of(files, 1, 0, 10, 63, 63))).isEmpty();
            assertThat(batcher.add(Outputs.of(files, 1, 0, 11, 0, 0))).isEmpty();
            assertThat(directory.size()).isZero();
        }
    }

    @Test
    void anUploadThatFailedIsRepeated() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(failingOnce(), KEEP, time);
            BlobId blob = batcher.add(Outputs.of(files, 1, 0, 10, 500)).orElseThrow();
            time.settle(AGE.plusSeconds(1));
            assertThat(isStored(blob)).isFalse();

            time.settle(AGE);
            assertThat(isStored(blob)).isTrue();
        }
    }

    @Test
    void anUploadWhoseOutputsAreGoneIsGivenUp() throws IOException {
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(store, KEEP, time);
            MapOutput output = Outputs.of(files, 1, 0, 10, 500);
            BlobId blob = batcher.add(output).orElseThrow();
            Files.delete(output.file());
            time.settle(AGE.plusSeconds(1));

            assertThat(batcher.pending()).isZero();
            assertThat(isStored(blob)).isFalse();
        }
    }

    private BlobStore failingOnce() {
        return new ForwardingBlobStore(store) {
            private boolean hasFailed;

            @Override
            public CompletionStage<Void> put(BlobId id, BlobContent content) {
                if (!hasFailed) {
                    hasFailed = true;
                    return CompletableFuture.failedFuture(
                            new StoreUnavailableException("Cannot store: planted. Try again."));
                }
                return super.put(id, content);
            }
        };
    }

    /** Such as one without memory. */
    @Test
    void aMapDoesNotWaitForAnUploadThatEndedByAnError() {
        PackingRule sync = new PackingRule(10_000, 1, Duration.ofDays(1), AWAY_AGE, PackingRule.WhenStored.RELEASE);
        BlobStore failing = new ForwardingBlobStore(store) {
            @Override
            public CompletionStage<Void> put(BlobId id, BlobContent content) {
                throw new OutOfMemoryError("planted");
            }
        };
        try (SystemTime time = new SystemTime();
                MapBatcher batcher = batcher(failing, sync, time)) {
            CompletableFuture<Optional<BlobId>> map =
                    CompletableFuture.supplyAsync(() -> batcher.add(Outputs.of(files, 1, 0, 10, 500)));

            assertThat(map)
                    .failsWithin(Duration.ofMinutes(2))
                    .withThrowableThat()
                    .withMessageContaining("planted");
            assertThat(batcher.pending()).isZero();
        }
    }

    /** Spark interrupts the tasks of a cancelled job, and the losers of speculation. */
    @Test
    void aKilledMapDoesNotFailOthersOfItsBlob() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        AtomicBoolean isFirst = new AtomicBoolean(true);
        DirectoryClient slow = new DirectoryClient(
                request -> {
                    if (isFirst.getAndSet(false)) {
                        asked.countDown();
                        Object ignored = new CompletableFuture<>().get();
                    }
                    return directory.answer(request);
                },
                client.self(),
                Zone.SINGLE);
        try (SystemTime time = new SystemTime();
                MapBatcher batcher =
                        new MapBatcher(new MapBatcher.Target(store, OWNER, "app-1"), slow, KEEP, file -> false, time)) {
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            Thread killed = new Thread(() -> {
                try {
                    Optional<BlobId> ignored = batcher.add(Outputs.of(files, 1, 0, 10, 500));
                } catch (RuntimeException e) {
                    failure.complete(e);
                }
            });
            killed.start();
            asked.await();
            CompletableFuture<Optional<BlobId>> other = new CompletableFuture<>();
            Thread waiting = new Thread(
                    () -> other.completeAsync(() -> batcher.add(Outputs.of(files, 1, 1, 11, 500)), Runnable::run));
            waiting.start();
            await().atMost(Duration.ofMinutes(2)).until(() -> waiting.getState() == Thread.State.WAITING);
            CompletableFuture<Boolean> flushed = new CompletableFuture<>();
            Thread flushing = new Thread(() -> flushed.complete(batcher.flush(Duration.ofMinutes(5))));
            flushing.start();
            await().atMost(Duration.ofMinutes(2)).until(() -> flushing.getState() == Thread.State.TIMED_WAITING);
            killed.interrupt();

            assertThat(failure).succeedsWithin(Duration.ofMinutes(2));
            assertThat(other).succeedsWithin(Duration.ofMinutes(2));
            assertThat(flushed).succeedsWithin(Duration.ofMinutes(2)).isEqualTo(true);
            assertThat(client.locate(other.join().orElseThrow()).writer()).contains(client.self());
        }
    }

    /** An executor that ends rescues also what it could not upload before. */
    @Test
    void aFlushWaitsForABlobWhoseUploadFailedBefore() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(failingOnce(), KEEP, time);
            BlobId blob = batcher.add(Outputs.of(files, 1, 0, 10, 500)).orElseThrow();
            time.settle(AGE.plusSeconds(1));
            assertThat(isStored(blob)).isFalse();

            CompletableFuture<Boolean> flushed =
                    CompletableFuture.supplyAsync(() -> batcher.flush(Duration.ofMinutes(5)));
            await().atMost(Duration.ofMinutes(2)).until(() -> {
                time.settle(Duration.ofSeconds(1));
                return flushed.isDone();
            });
            assertThat(flushed).isCompletedWithValue(true);
            assertThat(isStored(blob)).isTrue();
        }
    }

    @Test
    void outputsLeaveADiskWithoutRoom() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(store, KEEP, time);
            MapOutput early = Outputs.of(files, 1, 0, 10, 500);
            BlobId first = batcher.add(early).orElseThrow();
            time.settle(AGE.plusSeconds(1));
            MapOutput waiting = Outputs.of(files, 2, 0, 11, 500);
            BlobId second = batcher.add(waiting).orElseThrow();
            time.settle(Duration.ofSeconds(1));
            assertThat(isStored(second)).isFalse();
            assertThat(early.file()).exists();
            assertThat(batcher.isStored(1, 10)).isTrue();

            isTight = true;
            MapOutput last = Outputs.of(files, 3, 0, 12, 500);
            BlobId third = batcher.add(last).orElseThrow();
            time.settle(Duration.ofSeconds(1));

            for (BlobId blob : List.of(first, second, third)) {
                assertThat(isStored(blob)).isTrue();
                assertThat(client.refresh(blob).writer())
                        .as("readers go to the store")
                        .isEmpty();
            }
            assertThat(early.file()).doesNotExist();
            assertThat(waiting.file()).doesNotExist();
            assertThat(last.file()).doesNotExist();
        }
    }

    @Test
    void blobsThatOtherZonesReadAreUploadedSoonAndFullOnesAtOnce() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(store, KEEP, time);
            client.join();
            new DirectoryClient(directory::answer, new Whereabouts.Endpoint("2", "other", 7), new Zone("other")).join();
            BlobId blob = batcher.add(Outputs.of(files, 1, 0, 10, 500, 700)).orElseThrow();
            time.settle(AWAY_AGE.minusMillis(100));
            assertThat(isStored(blob)).isFalse();
            time.settle(Duration.ofMillis(200));
            assertThat(isStored(blob)).isTrue();

            BlobId filling = batcher.add(Outputs.of(files, 1, 1, 11, 500)).orElseThrow();
            assertThat(batcher.add(Outputs.of(files, 1, 2, 12, 10_000))).contains(filling);
            time.settle(Duration.ofMillis(10));
            assertThat(isStored(filling)).isTrue();
            assertThat(client.refresh(filling).writer())
                    .as("readers of its zone get the files")
                    .contains(client.self());

            directory.executorLost("2");
            BlobId last = batcher.add(Outputs.of(files, 1, 3, 13, 500)).orElseThrow();
            time.settle(AWAY_AGE.plusMillis(100));
            assertThat(isStored(last)).as("no other zone is left").isFalse();
        }
    }

    @Test
    void anExecutorThatIsAboutToEndStoresEachOutputAtOnce() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            MapBatcher batcher = batcher(store, KEEP, time);
            BlobId first = batcher.add(Outputs.of(files, 1, 0, 10, 500)).orElseThrow();
            CompletableFuture<Boolean> left = CompletableFuture.supplyAsync(() -> batcher.leave(Duration.ofMinutes(5)));
            await().atMost(Duration.ofMinutes(2)).until(() -> {
                time.settle(Duration.ofMillis(10));
                return left.isDone();
            });
            assertThat(isStored(first)).isTrue();

            BlobId second = batcher.add(Outputs.of(files, 1, 1, 11, 500)).orElseThrow();
            time.settle(Duration.ofSeconds(1));
            assertThat(isStored(second)).isTrue();
            assertThat(batcher.isStored(1, 11)).isTrue();
        }
    }

    @Test
    void whatIsLeftIsUploadedAtOnceAtTheEnd() {
        try (SystemTime time = new SystemTime();
                MapBatcher batcher = batcher(
                        store,
                        new PackingRule(10_000, 9, Duration.ofDays(1), AWAY_AGE, PackingRule.WhenStored.KEEP),
                        time)) {
            BlobId first = batcher.add(Outputs.of(files, 1, 0, 10, 500)).orElseThrow();
            BlobId second = batcher.add(Outputs.of(files, 2, 0, 11, 500)).orElseThrow();

            assertThat(batcher.flush(Duration.ofMinutes(5))).isTrue();
            assertThat(isStored(first)).isTrue();
            assertThat(isStored(second)).isTrue();
            assertThat(batcher.pending()).isZero();
        }
    }

    @Test
    void aMapDoesNotWaitForABlobOfARemovedShuffle() throws Exception {
        PackingRule sync = new PackingRule(10_000, 2, Duration.ofDays(1), AWAY_AGE, PackingRule.WhenStored.RELEASE);
        try (SystemTime time = new SystemTime();
                MapBatcher batcher = batcher(store, sync, time)) {
            CompletableFuture<Optional<BlobId>> map =
                    CompletableFuture.supplyAsync(() -> batcher.add(Outputs.of(files, 1, 0, 10, 500)));
            await().atMost(Duration.ofMinutes(2)).until(() -> directory.size() == 1);
            batcher.drop(1);

            assertThat(map)
                    .failsWithin(Duration.ofMinutes(2))
                    .withThrowableThat()
                    .withMessageContaining("Spark has removed its shuffle");
        }
    }

    @Test
    void withSyncAMapEndsWhenItsOutputIsStoredAndGone() {
        PackingRule sync = new PackingRule(10_000, 2, Duration.ofMillis(1), AWAY_AGE, PackingRule.WhenStored.RELEASE);
        try (SystemTime time = new SystemTime();
                MapBatcher batcher = batcher(store, sync, time)) {
            MapOutput output = Outputs.of(files, 1, 0, 10, 5, 5);
            BlobId blob = batcher.add(output).orElseThrow();

            assertThat(isStored(blob)).isTrue();
            assertThat(output.file()).doesNotExist();
            assertThat(client.refresh(blob).writer()).isEmpty();
            assertThat(directory.executorLost("1")).isEmpty();
            assertThat(directory.removeShuffle(1)).isEqualTo(List.of(blob));
        }
    }
}
