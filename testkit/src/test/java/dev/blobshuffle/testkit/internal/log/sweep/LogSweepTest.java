package dev.blobshuffle.testkit.internal.log.sweep;

import static dev.blobshuffle.testkit.internal.log.sweep.SweptLog.AT_ONCE;
import static dev.blobshuffle.testkit.internal.log.sweep.SweptLog.OLD;
import static dev.blobshuffle.testkit.internal.log.sweep.SweptLog.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.LentBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.log.failure.BlobExpiredException;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.sweep.LogSweep;
import dev.blobshuffle.log.internal.sweep.LogSweepOptions;
import dev.blobshuffle.log.internal.sweep.LogSweepReport;
import dev.blobshuffle.log.internal.sweep.LogSweepRight;
import dev.blobshuffle.log.internal.sweep.LogSweeper;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a pass deletes, and what it must not. */
class LogSweepTest {
    @TempDir
    private Path directory;

    private SweptLog swept;

    @BeforeEach
    void open() {
        swept = new SweptLog(directory);
    }

    @AfterEach
    void close() {
        swept.close();
    }

    @Test
    void aBlobGoesWithItsLastReferenceWhicheverTopicHasIt() throws InterruptedException {
        LogTopic orders = swept.topic("orders");
        LogTopic bills = swept.topic("bills");
        BlobId shared = swept.orphan();
        BlobId own = swept.orphan();
        swept.commit(shared, orders, bills);
        swept.commit(own, orders);
        swept.pass(OLD);
        swept.delete(orders);
        swept.sweepAll();
        assertThat(swept.stored()).containsExactly(shared);
        swept.delete(bills);
        swept.sweepAll();
        assertThat(swept.stored()).isEmpty();
        assertThat(join(swept.log.retention().due(10))).isEmpty();
        assertThat(join(swept.log.retention().unreferenced(Optional.empty(), 10)))
                .isEmpty();
    }

    /** A version before owners stored them. Nothing tells whose an orphan without an owner is. */
    @Test
    void aBlobOfTheFormerLayoutGoesWithItsLastReferenceAndAnOrphanOfItStays() throws InterruptedException {
        LogTopic orders = swept.topic("orders");
        BlobId needed = new BlobId(swept.minute(), 1, 1);
        BlobId orphan = new BlobId(swept.minute(), 1, 2);
        swept.store(needed);
        swept.store(orphan);
        swept.commit(needed, orders);
        swept.pass(OLD);
        swept.sweepAll();
        assertThat(swept.stored(BlobId.NO_OWNER)).containsExactly(needed, orphan);
        swept.delete(orders);
        swept.sweepAll();
        assertThat(swept.stored(BlobId.NO_OWNER)).containsExactly(orphan);
    }

    @Test
    void nothingIsDeletedBeforeTheGraceIsOver() throws InterruptedException {
        BlobId orphan = swept.orphan();
        swept.pass(OLD);
        assertThat(swept.sweep()).isEqualTo(new LogSweepReport(0, 0, 1, 0, 1, 0));
        assertThat(swept.sweep().deleted()).isZero();
        assertThat(swept.stored()).containsExactly(orphan);
        swept.pass(Duration.ofMinutes(2));
        assertThat(swept.sweep().deleted()).isEqualTo(1);
        assertThat(swept.stored()).isEmpty();
    }

    @Test
    void youngBlobsStayAndTheirCandidatesAreNotLost() throws InterruptedException {
        LogTopic orders = swept.topic("orders");
        BlobId young = swept.orphan();
        BlobId trimmed = swept.orphan();
        swept.commit(trimmed, orders);
        swept.delete(orders);
        LogSweepReport report = swept.sweep();
        assertThat(report).isEqualTo(new LogSweepReport(1, 0, 0, 1, 0, 0));
        assertThat(swept.stored()).containsExactlyInAnyOrder(young, trimmed);
        swept.pass(OLD);
        swept.sweepAll();
        assertThat(swept.stored()).isEmpty();
    }

    /** For each age of the blob: either the commit fails, or its blob stays for ever. */
    @Test
    void aBlobThatIsCommittedAtTheVeryLastMomentStays() throws InterruptedException {
        LogTopic orders = swept.topic("orders");
        Set<BlobId> committed = new HashSet<>();
        int refused = 0;
        for (int age = 0; age <= 12; age++) {
            BlobId blob = swept.orphan(swept.minute() - age);
            LogSweepReport before = swept.sweep();
            try {
                swept.commit(blob, orders);
                committed.add(blob);
            } catch (BlobExpiredException e) {
                refused++;
            }
            swept.sweepAll();
            assertThat(before.deleted()).as("age %d", age).isZero();
        }
        swept.pass(OLD);
        swept.sweepAll();
        assertThat(swept.stored()).isEqualTo(committed);
        assertThat(refused).isBetween(8, 10);
    }

    @Test
    void anUploadThatArrivesAfterTheFirstListingIsFound() throws InterruptedException {
        long generation = swept.minute();
        BlobId early = swept.orphan();
        swept.pass(OLD);
        swept.sweepAll();
        assertThat(swept.stored()).isEmpty();
        BlobId late = swept.orphan(generation);
        swept.pass(Duration.ofMinutes(45));
        swept.sweepAll();
        assertThat(swept.stored()).isEmpty();
        assertThat(late).isNotEqualTo(early);
    }

    @Test
    void listingOnlyOnceMissesAnUploadThatArrivesLate() throws InterruptedException {
        LogSweepOptions once =
                new LogSweepOptions(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, 1_000_000);
        BlobId committed = swept.orphan();
        swept.commit(committed, swept.topic("orders"));
        swept.pass(OLD);
        assertThat(swept.sweep(once).listed()).isEqualTo(1);
        BlobId late = swept.orphan(committed.generation());
        swept.pass(Duration.ofMinutes(45));
        assertThat(swept.sweep(once).listed()).isZero();
        assertThat(swept.stored()).containsExactlyInAnyOrder(committed, late);
    }

    @Test
    void aGenerationIsListedFewTimesAndRemembersFewListings() throws InterruptedException {
        LogTopic orders = swept.topic("orders");
        int listed = 0;
        for (int generation = 0; generation < 60; generation++) {
            swept.commit(swept.orphan(), orders);
            swept.pass(Duration.ofMinutes(2));
            listed += (int) swept.sweep().listed();
        }
        assertThat(listed).isBetween(55, 5 * 60);
        assertThat(join(swept.log.retention().listed())).hasSizeLessThan(33);
        assertThat(swept.stored()).hasSize(60);
        swept.pass(Duration.ofDays(1));
        swept.sweepAll();
        assertThat(join(swept.log.retention().listed())).hasSize(1);
        assertThat(swept.sweep().listed()).isZero();
    }

    @Test
    void aLookChangesNothingAndCountsWhatAPassWouldDo() throws InterruptedException {
        LogTopic orders = swept.topic("orders");
        swept.commit(swept.orphan(), orders);
        BlobId ignored = swept.orphan();
        swept.pass(OLD);
        swept.delete(orders);
        int removed = join(swept.log.retention().trim()).orElseThrow();
        Set<String> claims = join(swept.log.retention().claims().known());
        for (int time = 0; time < 2; time++) {
            LogSweepReport look = LogSweep.dryRun(swept.log, swept.store, AT_ONCE, swept.time);
            assertThat(look).isEqualTo(new LogSweepReport(0, removed, 1, 0, 1, 0));
        }
        assertThat(join(swept.log.retention().claims().known())).isEqualTo(claims);
        assertThat(swept.sweep()).isEqualTo(new LogSweepReport(0, removed, 1, 0, 1, 0));
        swept.sweepAll();
        assertThat(swept.stored()).isEmpty();
    }

    @Test
    void aLookAtAStoreThatIsHeldIsRefused() {
        hold();
        assertThatThrownBy(() -> LogSweep.dryRun(swept.log, swept.store, AT_ONCE, swept.time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("held by an operator");
    }

    /** A commit takes as long as the log allows, and five minutes. */
    @Test
    void theFirstYoungGenerationStays() throws InterruptedException {
        swept.pass(Duration.ofMillis(BlobId.MILLIS_PER_GENERATION - swept.millis() % BlobId.MILLIS_PER_GENERATION));
        long young = swept.minute() - swept.log.retention().longestUncommitted().toMinutes() - 5;
        BlobId ignored = swept.orphan(young - 1);
        BlobId stays = swept.orphan(young);
        LogTopic orders = swept.topic("orders");
        BlobId trimmed = swept.orphan();
        swept.commit(trimmed, orders);
        swept.delete(orders);
        assertThat(swept.sweep()).isEqualTo(new LogSweepReport(1, 0, 1, 1, 1, 0));
        LogSweepReport look = LogSweep.dryRun(swept.log, swept.store, AT_ONCE, swept.time);
        assertThat(look.orphans()).isEqualTo(0);
        assertThat(look.postponed()).isEqualTo(1);
        swept.pass(Duration.ofMinutes(1));
        look = LogSweep.dryRun(swept.log, swept.store, AT_ONCE, swept.time);
        assertThat(look.orphans()).isEqualTo(1);
        assertThat(swept.sweep().orphans()).isEqualTo(1);
        assertThat(swept.stored()).contains(stays, trimmed);
    }

    /** Others have that long to object to a claim. */
    @Test
    void nothingIsDeletedBeforeTheTimeForObjectionsIsOver() throws InterruptedException {
        Duration objection = Duration.ofMillis(300);
        LogSweepOptions options =
                new LogSweepOptions(Duration.ofMinutes(1), objection, Duration.ofHours(1), Duration.ZERO, 1_000_000);
        BlobId ignored = swept.orphan();
        swept.pass(OLD);
        assertThat(swept.sweep(options).orphans()).isEqualTo(1);
        swept.pass(Duration.ofMinutes(2));
        long began = swept.time.nanos();
        assertThat(swept.sweep(options).deleted()).isEqualTo(1);
        assertThat(Duration.ofNanos(swept.time.nanos() - began)).isGreaterThanOrEqualTo(objection);
    }

    /** Each step rests, so that a sweep of much neither floods the store nor the log. */
    @Test
    void aPassKeepsToItsRate() throws InterruptedException {
        LogSweepOptions slow =
                new LogSweepOptions(Duration.ofMinutes(1), Duration.ZERO, Duration.ofHours(1), Duration.ZERO, 100);
        LogTopic orders = swept.topic("orders");
        for (int i = 0; i < 15; i++) {
            swept.commit(swept.orphan(), orders);
        }
        swept.pass(OLD);
        swept.delete(orders);
        Duration step = Duration.ofMillis(150);
        long began = swept.time.nanos();
        assertThat(swept.sweep(slow)).isEqualTo(new LogSweepReport(15, 15, 0, 0, 1, 0));
        assertThat(Duration.ofNanos(swept.time.nanos() - began)).isGreaterThanOrEqualTo(step.multipliedBy(3));
        swept.pass(Duration.ofMinutes(2));
        began = swept.time.nanos();
        assertThat(swept.sweep(slow).deleted()).isEqualTo(15);
        assertThat(Duration.ofNanos(swept.time.nanos() - began)).isGreaterThanOrEqualTo(step);
    }

    @Test
    void manyBlobsGoInChunks() throws InterruptedException {
        LogTopic orders = swept.topic("orders");
        for (int i = 0; i < 2_500; i++) {
            swept.commit(swept.orphan(), orders);
        }
        swept.pass(OLD);
        swept.delete(orders);
        assertThat(swept.sweep().trimmed()).isEqualTo(2_500);
        swept.pass(Duration.ofMinutes(2));
        assertThat(swept.sweep().deleted()).isEqualTo(2_500);
        assertThat(swept.stored()).isEmpty();
    }

    /** Another log's operator holds the store after the first request that deletes. */
    @Test
    void aRightThatIsLostBetweenTwoRequestsDeletesNothingMore() throws InterruptedException {
        LogTopic orders = swept.topic("orders");
        for (int i = 0; i < 2_500; i++) {
            swept.commit(swept.orphan(), orders);
        }
        swept.pass(OLD);
        swept.delete(orders);
        assertThat(swept.sweep().trimmed()).isEqualTo(2_500);
        swept.pass(Duration.ofMinutes(2));
        List<Integer> requests = new ArrayList<>();
        try (BlobStore held = new ForwardingBlobStore(new LentBlobStore(swept.store)) {
            @Override
            public CompletionStage<Void> delete(Collection<BlobId> ids) {
                requests.add(ids.size());
                return super.delete(ids).thenRun(LogSweepTest.this::hold);
            }
        }) {
            assertThatThrownBy(() -> LogSweep.once(swept.log, held, AT_ONCE, swept.time))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("Nothing more is deleted");
        }
        assertThat(requests).hasSize(1);
        assertThat(swept.stored()).hasSize(2_500 - requests.get(0)).isNotEmpty();
    }

    private void hold() {
        try {
            new LogSweepRight(swept.store, swept.log, AT_ONCE.objection(), new StopSignal(swept.time), swept.time)
                    .hold();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void twoSweepersAtOnceDeleteTheSame() throws Exception {
        LogTopic orders = swept.topic("orders");
        LogTopic bills = swept.topic("bills");
        Set<BlobId> needed = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            BlobId blob = swept.orphan();
            if (i % 3 == 0) {
                swept.commit(blob, bills, orders);
                needed.add(blob);
            } else if (i % 3 == 1) {
                swept.commit(blob, orders);
            }
        }
        swept.pass(OLD);
        swept.delete(orders);
        for (int round = 0; round < 3; round++) {
            sweepAtOnce(4);
            swept.pass(Duration.ofMinutes(2));
        }
        assertThat(swept.stored()).isEqualTo(needed);
        assertThat(join(swept.log.retention().due(10))).isEmpty();
    }

    /** Several instances, each with its own client of the log and of the store. */
    private void sweepAtOnce(int sweepers) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(sweepers);
        try {
            List<Callable<LogSweepReport>> passes = new ArrayList<>();
            for (int sweeper = 0; sweeper < sweepers; sweeper++) {
                passes.add(() -> {
                    try (BlobStore store = BlobStores.open(
                                    directory.toUri() + "?fsync=none", StoreContext.unmetered(swept.time));
                            MemoryLog log = new MemoryLog(swept.database, swept.time)) {
                        return LogSweep.once(log, store, AT_ONCE, swept.time);
                    }
                });
            }
            for (Future<LogSweepReport> pass : threads.invokeAll(passes)) {
                assertThat(pass.get().listed()).isNotNegative();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aStoreWithoutRegistersKeepsItsBlobs() throws InterruptedException {
        try (BlobStore memory = new MemoryBlobStore("sweep", 1 << 20)) {
            BlobId orphan = new BlobId(swept.minute(), 1, 0);
            join(memory.put(orphan, BlobContent.of(new byte[] {1})));
            swept.pass(OLD);
            assertThat(LogSweep.once(swept.log, memory, AT_ONCE, swept.time).orphans())
                    .isEqualTo(1);
            swept.pass(OLD);
            assertThat(LogSweep.once(swept.log, memory, AT_ONCE, swept.time).deleted())
                    .isZero();
            assertThat(join(memory.list(0, orphan.generation())))
                    .extracting(StoredBlob::id)
                    .containsExactly(orphan);
        }
    }

    /** The log's clock says that the orphan is old; the store's, that it is not. */
    @Test
    void anOrphanThatTheStoreGotOfLateStays() throws Exception {
        BlobId orphan = swept.orphan();
        setStored(Instant.now().minus(Duration.ofMinutes(9)));
        swept.pass(OLD.plusMinutes(2));
        LogSweepOptions floor = AT_ONCE.withFloor(Duration.ofMinutes(10));
        LogSweepReport young = LogSweep.once(swept.log, swept.store, floor, swept.time);
        assertThat(young.orphans()).isZero();
        assertThat(young.postponed()).isEqualTo(1);
        assertThat(join(swept.log.retention().listed())).isEmpty();
        setStored(Instant.now().minus(Duration.ofMinutes(11)));
        assertThat(LogSweep.once(swept.log, swept.store, floor, swept.time).orphans())
                .isEqualTo(1);
        assertThat(swept.stored()).containsExactly(orphan);
    }

    @Test
    void nothingYoungerThanTheFloorByTheLogsClockIsBuried() throws Exception {
        BlobId orphan = swept.orphan();
        setStored(Instant.now().minus(Duration.ofHours(1)));
        swept.pass(OLD);
        LogSweepOptions floor = AT_ONCE.withFloor(OLD.plusMinutes(3));
        assertThat(LogSweep.once(swept.log, swept.store, floor, swept.time).orphans())
                .isZero();
        swept.pass(Duration.ofMinutes(4));
        assertThat(LogSweep.once(swept.log, swept.store, floor, swept.time).orphans())
                .isEqualTo(1);
        assertThat(swept.stored()).containsExactly(orphan);
    }

    @Test
    void aLogWhoseClockIsNotTheStoresBuriesNothing() throws Exception {
        BlobId orphan = swept.orphan();
        setStored(Instant.now().minus(Duration.ofHours(1)));
        swept.pass(Duration.ofMinutes(30));
        assertThatThrownBy(() ->
                        LogSweep.once(swept.log, swept.store, AT_ONCE.withFloor(Duration.ofMinutes(10)), swept.time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("the log's clock is 30 minutes ahead of the store's (there it is ");
        assertThat(swept.stored()).containsExactly(orphan);
    }

    private void setStored(Instant time) throws IOException {
        for (Path blob : LiveFiles.blobs(directory)) {
            Files.setLastModifiedTime(blob, FileTime.from(time));
        }
    }

    @Test
    void aStoppedPassEndsAtItsNextStep() {
        BlobId orphan = swept.orphan();
        swept.pass(OLD);
        StopSignal stopSignal = new StopSignal(swept.time);
        stopSignal.raise();
        LogSweep sweep = new LogSweep(swept.log, swept.store, AT_ONCE, stopSignal, swept.time);
        assertThatThrownBy(sweep::run).isInstanceOf(ClosedException.class);
        assertThat(swept.stored()).containsExactly(orphan);
    }

    @Test
    void theBackgroundSweeperDeletesCountsAndStops() {
        BlobId orphan = swept.orphan();
        swept.pass(OLD);
        LogSweepOptions now =
                new LogSweepOptions(Duration.ZERO, Duration.ZERO, Duration.ofHours(1), Duration.ZERO, 1_000_000);
        ShuffleMetrics metrics = new ShuffleMetrics(swept.time);
        LogSweeper sweeper = new LogSweeper(
                swept.log,
                () -> BlobStores.open(directory.toUri() + "?fsync=none", StoreContext.unmetered(swept.time)),
                now,
                Duration.ofMillis(20),
                metrics,
                swept.time);
        sweeper.start();
        awaitSweeps(metrics, 3);
        sweeper.close();
        sweeper.close();
        assertThat(swept.stored()).doesNotContain(orphan);
        assertThat(metrics.value(Counter.BLOBS_SWEPT)).isEqualTo(1);
        assertThat(metrics.value(Counter.ORPHANS_SWEPT)).isEqualTo(1);
        assertThat(metrics.value(Counter.SWEEP_FAILURES)).isZero();
    }

    private static void awaitSweeps(ShuffleMetrics metrics, int sweeps) {
        await("sweeps")
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> metrics.value(Counter.SWEEPS) >= sweeps);
    }
}
