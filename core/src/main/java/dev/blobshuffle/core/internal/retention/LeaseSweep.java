package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.LeaseRegister;
import dev.blobshuffle.core.internal.owner.LeaseText.Line;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the blobs of applications that live by a lease and have not renewed it: their drivers
 * were killed. An owner that has no lease, as those of Kafka, is never touched. Several may run at
 * once. Owned by one thread.
 */
public final class LeaseSweep {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseSweep.class);

    private final BlobStore store;
    private final LeaseRegister register;
    private final Set<Integer> spared;
    private final SweepPace pace;
    private final StopSignal stopSignal;
    private final Time time;

    /**
     * The result of a pass.
     *
     * @param ended leases that were found to have ended
     * @param owners whose blobs are all deleted
     * @param blobs that were deleted
     */
    public record Report(int ended, int owners, int blobs) {}

    /**
     * A sweep of a store.
     *
     * @param store stays open
     * @param spared owners that it never touches: the caller's own
     */
    public LeaseSweep(BlobStore store, Set<Integer> spared, SweepPace pace, StopSignal stopSignal, Time time) {
        this.store = store;
        register = new LeaseRegister(store, time);
        this.spared = Set.copyOf(spared);
        this.pace = pace;
        this.stopSignal = stopSignal;
        this.time = time;
    }

    /** The leases of others. */
    public Map<Integer, Line> leases() {
        Map<Integer, Line> others = new TreeMap<>(register.read().leases());
        others.keySet().removeAll(spared);
        return others;
    }

    /** Takes the step that is due for each lease. */
    public Report pass() throws InterruptedException {
        int ended = 0;
        int owners = 0;
        int blobs = 0;
        LeaseSweepRight right = new LeaseSweepRight(time);
        right.use(store);
        for (Map.Entry<Integer, Line> lease : leases().entrySet()) {
            right.turnTo(lease.getKey());
            try {
                Optional<Integer> deleted = deleted(right, lease.getKey());
                owners += deleted.isPresent() ? 1 : 0;
                blobs += deleted.orElse(0);
                ended += right.hasFoundEnd() ? 1 : 0;
            } catch (InvalidSettingsException e) {
                LOG.info("Blobs of {} stay: {}", lease.getValue().name(), e.getMessage());
            }
            stopSignal.check();
        }
        return new Report(ended, owners, blobs);
    }

    /** Returns how many blobs were deleted, if none is left. */
    private Optional<Integer> deleted(LeaseSweepRight right, int owner) throws InterruptedException {
        Sweep sweep = new Sweep(store, SweepScope.everything(Set.of()), pace, stopSignal);
        BlobLifetime all = new BlobLifetime(Optional.of(right), Duration.ZERO);
        int deleted = 0;
        Optional<BlobId> after = Optional.empty();
        while (right.next().stage() == SweepRight.Stage.LIST) {
            if (!register.isLeased(owner)) {
                register.remove(owner); // Its application was about to remove both.
                return Optional.of(0);
            }
            BlobListing listing = sweep.list(owner, after, all, right.clock());
            Duration ignored = right.listed();
            sweep.condemnAll(listing);
            ignored = right.decided();
            if (right.next().stage() != SweepRight.Stage.DELETE) {
                return Optional.empty();
            }
            sweep.delete(listing, right, new HorizonCheck(right, right.clock(), listing));
            deleted += listing.size();
            after = listing.resumeAfter();
            ignored = right.over();
            if (after.isEmpty() && listing.size() == 0) {
                right.requireOwn();
                register.remove(owner);
                LOG.info("Deleted {} blobs of an application whose lease had ended.", deleted);
                return Optional.of(deleted);
            }
        }
        return Optional.empty();
    }
}
