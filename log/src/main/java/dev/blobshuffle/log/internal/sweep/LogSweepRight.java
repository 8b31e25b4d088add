package dev.blobshuffle.log.internal.sweep;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.OwnerClaimant;
import dev.blobshuffle.core.internal.claim.OwnerRegister;
import dev.blobshuffle.core.internal.claim.OwnerSource;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.OwnerSweepRight;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.internal.retention.SweepRight.Stage;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.CommitLog;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The right of a log to delete blobs. The tombstones are in the log, so only the last two of the
 * three steps of {@link SweepRight} remain: the right is claimed after the tombstones are put, and
 * again after others have had time to object. It is checked before each request that deletes. Owned
 * by one thread.
 */
public final class LogSweepRight {
    /** Most attempts. A doubt that is not renewed ends, so the second or third attempt succeeds. */
    private static final int MOST_BEGUN = 3;

    private static final Duration LOOK = Duration.ofMillis(100);

    private final BlobStore store;
    private final LogOwner owner;
    private final OwnerRegister register;
    private final OwnerSweepRight right;
    private final OwnerTiming timing;
    private final StopSignal stopSignal;
    private final Time time;

    /**
     * A right without a claim.
     *
     * @param store stays open
     * @param log stays open
     * @param objection how long others have to object
     * @param stopSignal ends its waits
     * @throws InvalidSettingsException the store has no registers
     */
    public LogSweepRight(BlobStore store, CommitLog log, Duration objection, StopSignal stopSignal, Time time) {
        this.store = store;
        this.stopSignal = stopSignal;
        this.time = time;
        timing = OwnerTiming.quick(objection);
        owner = new LogOwner(log, stopSignal);
        register = new OwnerRegister(store, time);
        right = OwnerSweepRight.own(owner, timing, time);
        right.use(store);
    }

    /** The store's clock. */
    StoreClock clock() {
        return right.clock();
    }

    /** The log's owner; empty if the log has not stored a blob yet. Changes nothing. */
    Optional<Integer> owner() throws InterruptedException {
        ClaimsTopic table = seat().memory().read(LogOwner.TOPIC);
        return table instanceof ClaimsTopic.Known known
                ? register.read().proven(owner.cluster(), LogOwner.TOPIC, known)
                : Optional.empty();
    }

    private OwnerSource.Seat seat() {
        return owner.seat(store.fingerprint());
    }

    /**
     * Claims the right.
     *
     * @return the register's current raise: blobs with an older tombstone may be deleted after
     *     {@link #confirm} has returned
     * @throws InvalidSettingsException nothing may be deleted
     */
    public String claim() throws InterruptedException {
        SweepRight.Leave leave = right.next();
        for (int begun = 1; leave.stage() == Stage.START_OVER && begun < MOST_BEGUN; begun++) {
            stopSignal.rest(right.over());
            leave = right.next();
        }
        require(leave, Stage.LIST);
        String raise = register.read()
                .raise(owner.cluster())
                .map(OwnerText.Raise::id)
                .orElseThrow(() -> refused("its claim was removed"));
        Duration ignored = right.listed(); // Listed and decided long ago, as the log has recorded.
        ignored = right.decided();
        return raise;
    }

    /**
     * Waits for objections, and claims the right again.
     *
     * @throws InvalidSettingsException nothing may be deleted
     */
    void confirm() throws InterruptedException {
        stopSignal.rest(timing.raise());
        SweepRight.Leave leave = right.next();
        while (leave.stage() == Stage.WAIT) {
            stopSignal.rest(LOOK);
            leave = right.next();
        }
        require(leave, Stage.DELETE);
    }

    /**
     * Checks the right before a request that deletes.
     *
     * @throws InvalidSettingsException nothing may be deleted
     */
    void requireOwn() throws InterruptedException {
        right.requireOwn();
    }

    private void require(SweepRight.Leave leave, Stage stage) {
        if (leave.stage() != stage) {
            throw refused(leave.reason().orElse("an instance of the log joined, or doubts"));
        }
    }

    /**
     * Checks that the store is not contested, and changes nothing.
     *
     * @throws InvalidSettingsException nothing may be deleted
     */
    public void requireUncontested() {
        contest().ifPresent(reason -> {
            throw refused(reason);
        });
    }

    /** The register's reason why sweeps may not delete; empty if they may. Changes nothing. */
    public Optional<String> contest() {
        return register.read().contest(owner.cluster());
    }

    /** Prevents all deletions until an operator of each log and each cluster allows them again. */
    public void hold() throws InterruptedException {
        register.hold("held by an operator of " + owner.cluster(), Set.of(owner.cluster()));
    }

    /** Ends a contest of this log. A live instance of a copy contests it again. */
    public void takeOver() throws InterruptedException {
        new OwnerClaimant(seat(), timing, time).settle(register.cell());
    }

    private InvalidSettingsException refused(String reason) {
        return new InvalidSettingsException(
                "Cannot sweep " + store.location() + " by " + owner.cluster() + ": " + reason
                        + ". Nothing is deleted, and applications go on. docs/operations.md, \"Who may delete what, and"
                        + " when\", describes how to continue.");
    }
}
