package dev.blobshuffle.cli.gc;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.owner.OwnerText.Owner;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.BlobListing;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.OwnerSweepRight;
import dev.blobshuffle.core.internal.retention.SweepReport;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** The state of one owner in a run of {@code gc}. Owned by one thread. */
final class OwnerPass {
    private final int owner;
    private final Owner line;
    private final OwnerTiming timing;
    private final Optional<OwnerSweepRight> right;
    private Optional<BlobListing> listing = Optional.empty();
    private Map<Partition, NotificationLogs.Term> terms = Map.of();
    private Optional<BlobId> after = Optional.empty();
    private SweepReport found = SweepReport.NOTHING;

    /**
     * A pass that has not begun.
     *
     * @param right to delete; empty: only counts
     */
    OwnerPass(int owner, Owner line, OwnerTiming timing, Optional<OwnerSweepRight> right) {
        this.owner = owner;
        this.line = line;
        this.timing = timing;
        this.right = right;
    }

    int owner() {
        return owner;
    }

    Owner line() {
        return line;
    }

    Optional<OwnerSweepRight> right() {
        return right;
    }

    /** The time between two steps. */
    Duration pause() {
        return timing.waits(line.promise());
    }

    void listed(BlobListing next, Map<Partition, NotificationLogs.Term> before) {
        listing = Optional.of(next);
        terms = before;
        after = next.resumeAfter();
    }

    BlobListing listing() {
        return listing.orElseThrow();
    }

    Map<Partition, NotificationLogs.Term> terms() {
        return terms;
    }

    /** The start of the next round; empty if there is none. */
    Optional<BlobId> after() {
        return after;
    }

    void found(SweepReport report) {
        found = found.plus(report);
    }

    SweepReport found() {
        return found;
    }

    /** Removes the owner from the register if the store has no more blobs of it. */
    void end(BlobStore store) throws InterruptedException {
        if (right.isPresent()
                && store.generations(owner).toCompletableFuture().join().isEmpty()) {
            right.get().forget();
        }
    }
}
