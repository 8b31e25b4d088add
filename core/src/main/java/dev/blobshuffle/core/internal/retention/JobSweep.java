package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.JobOwner;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Lists the jobs that are owners without a lease ({@link JobOwner}), and deletes the blobs of one
 * that is over. No register shows whether a job is over, or whether someone keeps a checkpoint of
 * it. So only a user names the job, and a job with young blobs is refused. Owned by one thread.
 */
public final class JobSweep {
    private static final int MOST_DELETED = 500;

    private final BlobStore blobs;
    private final PatientStore store;
    private final SweepPace pace;
    private final StopSignal stopSignal;
    private final Time time;

    /**
     * The blobs of a job.
     *
     * @param owner whose blobs they are
     * @param name of the job, if the store knows it
     * @param blobs how many there are
     * @param newest when the last one was stored, by the store's clock
     */
    public record Job(int owner, Optional<String> name, long blobs, Optional<Instant> newest) {}

    /**
     * A sweep of the jobs of a store.
     *
     * @param store stays open
     */
    public JobSweep(BlobStore store, SweepPace pace, StopSignal stopSignal, Time time) {
        blobs = store;
        this.store = new PatientStore(store, stopSignal);
        this.pace = pace;
        this.stopSignal = stopSignal;
        this.time = time;
    }

    /** All jobs that may have blobs. */
    public List<Job> jobs() throws InterruptedException {
        List<Job> jobs = new ArrayList<>();
        for (int owner : store.owners()) {
            if (owner != BlobId.NO_OWNER) { // Its blobs check that the store works.
                jobs.add(job(owner));
            }
        }
        return jobs;
    }

    /** The blobs of one owner. */
    public Job job(int owner) throws InterruptedException {
        long count = 0;
        Optional<Instant> newest = Optional.empty();
        for (GenerationSpan span : spans(owner)) {
            for (StoredBlob blob : store.list(owner, span)) {
                count++;
                newest = newest.filter(blob.stored()::isBefore).or(() -> Optional.of(blob.stored()));
            }
        }
        return new Job(owner, blobs.registers().flatMap(each -> JobOwner.job(each, owner)), count, newest);
    }

    /** The minutes of one listing request each. A job has few blobs a minute. */
    private List<GenerationSpan> spans(int owner) throws InterruptedException {
        return store.generations(owner).stream()
                .map(generation -> GenerationSpan.around(generation, 1))
                .distinct()
                .toList();
    }

    /**
     * Requires that no blob of a job is young.
     *
     * @param job as it was listed
     * @param floor the least age of its newest blob, by the store's clock
     * @throws InvalidSettingsException fatal: the job may still run
     */
    public void requireOld(Job job, Duration floor) {
        Instant now = new StoreConditions(blobs, time).require().now();
        Optional<Instant> young = job.newest().filter(newest -> newest.isAfter(now.minus(floor)));
        if (young.isPresent()) {
            throw new InvalidSettingsException("Cannot forget owner " + BlobId.hex(job.owner()) + ": its newest blob is"
                    + " of " + young.get() + ", and in " + store.location() + " it is " + now
                    + ". The job may still run. If it has ended and you need none of its checkpoints, give a lower"
                    + " --floor, such as 0s.");
        }
    }

    /**
     * Deletes all blobs of a job. May be repeated when it failed.
     *
     * @param job as it was listed
     * @param floor the least age of its newest blob, by the store's clock
     * @return how many blobs were deleted
     * @throws InvalidSettingsException fatal: the job may still run; nothing was deleted
     */
    public long forget(Job job, Duration floor) throws InterruptedException {
        requireOld(job, floor);
        long deleted = 0;
        for (GenerationSpan span : spans(job.owner())) {
            List<BlobId> ids =
                    store.list(job.owner(), span).stream().map(StoredBlob::id).toList();
            for (int from = 0; from < ids.size(); from += MOST_DELETED) {
                List<BlobId> some = ids.subList(from, Math.min(ids.size(), from + MOST_DELETED));
                store.delete(some);
                deleted += some.size();
                stopSignal.rest(Duration.ofNanos((long) (some.size() * 1e9 / pace.blobsPerSecond())));
            }
        }
        return deleted;
    }
}
