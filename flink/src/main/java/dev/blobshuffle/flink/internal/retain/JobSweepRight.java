package dev.blobshuffle.flink.internal.retain;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.JobOwner;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The right of a job's coordinator to delete the job's blobs. Nothing else deletes them, and no
 * other job has the owner's number, so it needs no claims: the register of the owner is enough.
 * Owned by the sweeper's thread.
 */
final class JobSweepRight implements SweepRight {
    private final String job;
    private final Optional<Duration> timeToLive;
    private final Duration step;
    private final Time time;
    private @Nullable StoreConditions conditions;
    private String location = "";
    private Stage stage = Stage.LIST;
    private Optional<Integer> owner = Optional.empty();

    /**
     * The right of one job.
     *
     * @param timeToLive the age from which blobs may be deleted, if the user set one
     * @param step time between two steps
     */
    JobSweepRight(String job, Optional<Duration> timeToLive, Duration step, Time time) {
        this.job = job;
        this.timeToLive = timeToLive;
        this.step = step;
        this.time = time;
    }

    @Override
    public void use(BlobStore store) {
        conditions = new StoreConditions(store, time);
        location = store.location();
    }

    private StoreConditions conditions() {
        StoreConditions present = conditions;
        if (present == null) {
            throw new IllegalStateException("Cannot sweep: no store is used yet.");
        }
        return present;
    }

    @Override
    public StoreClock clock() {
        return conditions().require();
    }

    @Override
    public Leave next() {
        if (owner.isEmpty()) {
            owner = ownerNow();
        }
        return new Leave(owner.isEmpty() ? Stage.WAIT : stage, owner.orElse(0), timeToLive, Optional.empty());
    }

    private Optional<Integer> ownerNow() {
        return new JobOwner(conditions().registers(), job, time).find();
    }

    @Override
    public Duration listed() {
        stage = Stage.DECIDE;
        return step;
    }

    @Override
    public Duration decided() {
        stage = Stage.DELETE;
        return step;
    }

    @Override
    public Duration over() {
        stage = Stage.LIST;
        return step;
    }

    @Override
    public void requireOwn() {
        if (owner.isEmpty() || !ownerNow().equals(owner)) {
            throw new InvalidSettingsException("Cannot delete from " + location + ": the register no longer names job "
                    + job + " as the owner. Check what else writes to the store. Nothing more is deleted.");
        }
    }
}
