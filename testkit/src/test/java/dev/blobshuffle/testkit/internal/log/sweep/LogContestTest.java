package dev.blobshuffle.testkit.internal.log.sweep;

import static dev.blobshuffle.testkit.internal.log.sweep.SweptLog.OLD;
import static dev.blobshuffle.testkit.internal.log.sweep.SweptLog.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.OwnerRegister;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.sweep.LogOwner;
import dev.blobshuffle.log.internal.sweep.LogSweepRight;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who else may use the store: copies of the log, other logs, and Kafka clusters. */
class LogContestTest {
    private static final OwnerTiming OFTEN =
            new OwnerTiming(Duration.ofSeconds(2), Duration.ofMinutes(5), Duration.ZERO);

    @TempDir
    private Path directory;

    private SweptLog original;
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void open() {
        original = new SweptLog(directory);
        open.add(original);
    }

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private SweptLog copy() {
        SweptLog copy = new SweptLog(directory, Optional.of(original));
        open.add(copy);
        return copy;
    }

    private SweptLog another() {
        SweptLog another = new SweptLog(directory);
        open.add(another);
        return another;
    }

    /** An instance that runs: it claims, and checks. */
    private BlobStore run(SweptLog log) {
        // Not closed with the log's own: the watch of a real instance ends with its store.
        BlobStore claimed = LogOwner.watched(log.store, log.log, OFTEN, log.time);
        BlobId blob = new BlobId(join(claimed.owner()), log.minute(), 77, open.size());
        join(claimed.put(blob, BlobContent.of(new byte[] {1})));
        join(claimed.delete(List.of(blob)));
        return claimed;
    }

    private LogSweepRight right(SweptLog log) {
        return new LogSweepRight(log.store, log.log, Duration.ZERO, new StopSignal(log.time), log.time);
    }

    private void claim(SweptLog log) throws InterruptedException {
        String ignored = right(log).claim();
    }

    private void awaitContest() {
        await("a contest")
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> contest().isPresent());
    }

    private Optional<String> contest() {
        return new OwnerRegister(original.store, original.time)
                .read().contests().values().stream().findFirst();
    }

    private static void bury(SweptLog log) throws InterruptedException {
        assertThat(log.sweep().deleted()).isZero();
        log.pass(Duration.ofMinutes(2));
    }

    @Test
    void aLogAloneIsNeverContested() throws InterruptedException {
        BlobStore ignored = run(original);
        BlobStore sibling = run(original);
        assertThat(sibling.location()).isEqualTo(ignored.location());
        for (int round = 0; round < 5; round++) {
            BlobId orphan = original.orphan();
            original.pass(OLD);
            original.sweepAll();
            assertThat(original.stored()).doesNotContain(orphan);
        }
        assertThat(contest()).isEmpty();
    }

    /** The copy does not know what the original published since, and takes it for orphans. */
    @Test
    void aCopyThatSweepsFirstIsContestedByTheOriginalThatRuns() throws InterruptedException {
        LogTopic orders = original.topic("orders");
        BlobStore running = run(original);
        SweptLog copy = copy();
        BlobId later = original.orphan();
        original.commit(later, orders);
        copy.pass(OLD);
        bury(copy);
        claim(copy);
        awaitContest();
        assertThatThrownBy(copy::sweep)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("a copy of the cluster");
        assertThat(original.stored()).containsExactly(later);
        original.pass(OLD);
        BlobId orphan = original.orphan(original.minute() - 20);
        bury(original);
        assertThatThrownBy(original::sweep)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Who may delete what");
        assertThat(original.stored()).containsExactlyInAnyOrder(later, orphan);
        assertThat(running.location()).isNotBlank();
    }

    @Test
    void aCopyContestsItselfIfTheOriginalHasClaimedSince() throws InterruptedException {
        LogTopic orders = original.topic("orders");
        SweptLog copy = copy();
        BlobId later = original.orphan();
        original.commit(later, orders);
        claim(original);
        copy.pass(OLD);
        bury(copy);
        assertThatThrownBy(copy::sweep).isInstanceOf(InvalidSettingsException.class);
        assertThat(original.stored()).containsExactly(later);
    }

    /** Its tombstones are valid on both sides: no batch refers to those blobs, or ever can. */
    @Test
    void tombstonesFromBeforeTheCopyAreNeededByNobody() throws InterruptedException {
        BlobId orphan = original.orphan();
        original.pass(OLD);
        bury(original);
        SweptLog copy = copy();
        assertThat(copy.sweep().deleted()).isEqualTo(1);
        assertThat(original.stored()).doesNotContain(orphan);
    }

    @Test
    void aRestoredBackupWaitsForAnOperatorWhoDecides() throws InterruptedException {
        claim(original);
        SweptLog restored = copy();
        claim(original);
        original.log.close(); // The database is lost.
        BlobId orphan = restored.orphan();
        restored.pass(OLD);
        bury(restored);
        assertThatThrownBy(restored::sweep).isInstanceOf(InvalidSettingsException.class);
        assertThat(restored.stored()).containsExactly(orphan);
        right(restored).takeOver();
        assertThat(restored.sweep().deleted()).isEqualTo(1);
    }

    @Test
    void anOriginalThatLivesOnContestsATakeOver() throws InterruptedException {
        BlobStore running = run(original);
        SweptLog copy = copy();
        right(copy).takeOver();
        awaitContest();
        assertThatThrownBy(() -> claim(copy)).isInstanceOf(InvalidSettingsException.class);
        assertThat(running.location()).isNotBlank();
    }

    /** Each has an owner of its own. */
    @Test
    void anotherLogOnTheStoreSweepsItsOwnBlobsOnly() throws InterruptedException {
        BlobStore running = run(original);
        SweptLog another = another();
        assertThat(another.owner()).isNotEqualTo(original.owner());
        BlobId needed = original.orphan();
        original.commit(needed, original.topic("orders"));
        BlobId theirs = another.orphan();
        another.pass(OLD);
        another.sweepAll();
        assertThat(another.stored()).doesNotContain(theirs);
        assertThat(original.stored()).containsExactly(needed);
        BlobId orphan = original.orphan();
        original.pass(OLD);
        original.sweepAll();
        assertThat(original.stored()).containsExactly(needed).doesNotContain(orphan);
        assertThat(contest()).isEmpty();
        assertThat(running.location()).isNotBlank();
    }

    /** Its blobs have another owner, or none. */
    @Test
    void blobsOfAKafkaClusterOnTheStoreStay() throws InterruptedException {
        long old = original.minute();
        List<BlobId> theirs = List.of(new BlobId(0xC0DE, old, 1, 1), new BlobId(old, 1, 1));
        theirs.forEach(original::store);
        original.pass(OLD);
        original.sweepAll();
        for (BlobId blob : theirs) {
            assertThat(join(original.store.length(blob))).isPositive();
        }
    }

    @Test
    void whoHoldsTheStoreStopsSweepsUntilATakeOver() throws InterruptedException {
        BlobId orphan = original.orphan();
        original.pass(OLD);
        bury(original);
        right(original).hold();
        assertThatThrownBy(original::sweep)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("held by");
        assertThat(original.stored()).containsExactly(orphan);
        right(original).takeOver();
        assertThat(original.sweep().deleted()).isEqualTo(1);
    }

    /** The register says what another copy of the log wrote, which this one does not remember. */
    @Test
    void nothingIsDueForAClaimOfAnotherCopy() throws InterruptedException {
        BlobId orphan = original.orphan();
        original.pass(OLD);
        bury(original);
        assertThat(join(original.log.retention().due(10))).containsExactly(orphan);
        assertThat(join(original.log.retention().claims().due("0123456789abcdef0123456789abcdef", 10)))
                .isEmpty();
    }

    /** Else a claim from before the copy would let the copy delete. */
    @Test
    void nothingIsDueThatWasBuriedAfterTheClaim() throws InterruptedException {
        String id = "0123456789abcdef0123456789abcdef";
        join(original.log.retention().claims().remember(id, 1));
        BlobId orphan = original.orphan();
        original.pass(OLD);
        bury(original);
        assertThat(join(original.log.retention().claims().due(id, 10))).isEmpty();
        String next = "1123456789abcdef0123456789abcdef";
        join(original.log.retention().claims().remember(next, 2));
        assertThat(join(original.log.retention().claims().due(next, 10))).containsExactly(orphan);
    }
}
