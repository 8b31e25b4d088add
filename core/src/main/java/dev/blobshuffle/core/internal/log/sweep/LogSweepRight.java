package dev.blobshuffle.core.internal.log.sweep;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.claim.ClaimText;
import dev.blobshuffle.core.internal.claim.Claimant;
import dev.blobshuffle.core.internal.claim.Claimant.Verdict;
import dev.blobshuffle.core.internal.claim.StoreCell;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.internal.log.CommitLog;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The right to delete blobs by a log. It raises the log's claim after the tombstones were put, and
 * asks before each request that deletes. Owned by one thread.
 */
public final class LogSweepRight implements SweepRight {
    private static final Set<String> LINES = Set.of(LogClaim.TOPIC);

    private final BlobStore store;
    private final StoreConditions conditions;
    private final StoreCell cell;
    private final String user;
    private final Claimant claimant;

    /**
     * A right that has not claimed anything.
     *
     * @param store stays open
     * @param log stays open
     * @param stopSignal ends its waits
     * @throws InvalidSettings the store has no registers
     */
    public LogSweepRight(BlobStore store, CommitLog log, StopSignal stopSignal, Time time) {
        this.store = store;
        conditions = new StoreConditions(store, time);
        cell = new StoreCell(store, conditions.registers());
        LogClaim claim = new LogClaim(log, time);
        user = claim.user();
        claimant = claim.claimant(cell, stopSignal);
    }

    @Override
    public StoreClock clock() {
        return conditions.require();
    }

    @Override
    public void raise() throws InterruptedException {
        conditions.require();
        requireNoEarlierClaims();
        require(claimant.raise(LINES));
    }

    /**
     * The claimant id that the register has for this log now. What has a tombstone from before that
     * claim may be deleted, when others have had the time to contest it.
     *
     * @throws InvalidSettings as {@link #raise()}
     */
    String claim() {
        ClaimText now =
                cell.read().map(register -> ClaimText.parse(register.text())).orElse(ClaimText.NONE);
        if (now.contest().isPresent()) {
            throw contested(now.contest().get());
        }
        return now.line(user, LogClaim.TOPIC)
                .map(ClaimText.Line::id)
                .orElseThrow(() -> contested("somebody took its claim away"));
    }

    @Override
    public void requireOwn() throws InterruptedException {
        require(claimant.check(LINES));
    }

    /**
     * The same, but changes nothing.
     *
     * @throws InvalidSettings as {@link #raise()}
     */
    public void look() throws InterruptedException {
        requireNoEarlierClaims();
        require(claimant.look(LINES));
    }

    /** Why nobody may delete, as the register says it; empty if sweeps may. Changes nothing. */
    public Optional<String> contest() throws InterruptedException {
        return claimant.contest();
    }

    /** Keeps everybody from deleting until somebody takes over. */
    public void hold() throws InterruptedException {
        claimant.hold("held by an operator of " + user);
    }

    /** Gives the store back: nothing of the log is left in it. */
    public void withdraw() throws InterruptedException {
        claimant.withdraw();
    }

    /**
     * Makes the store this log's. A live instance of another log, cluster or copy contests that
     * again.
     */
    public void takeOver() throws InterruptedException {
        List<BlobId> earlier = cell.earlierClaims();
        if (!earlier.isEmpty()) {
            cell.delete(earlier);
        }
        claimant.takeOver(LINES);
    }

    /** A Kafka cluster of a version without registers left a blob. */
    private void requireNoEarlierClaims() {
        List<BlobId> earlier = cell.earlierClaims();
        if (!earlier.isEmpty()) {
            throw contested("a Kafka cluster swept the store with an earlier version (claim " + earlier.get(0) + ")");
        }
    }

    private void require(Verdict verdict) {
        if (!verdict.isOwn()) {
            throw contested(verdict.contest().orElse(""));
        }
    }

    private InvalidSettings contested(String reason) {
        return new InvalidSettings("Cannot sweep " + store.location() + " by " + user + ": " + reason
                + ". Nothing is deleted, and applications go on. Give each log and each cluster a store (prefix) of its"
                + " own; docs/operations.md, \"When a sweep stops\", says how to go on.");
    }
}
