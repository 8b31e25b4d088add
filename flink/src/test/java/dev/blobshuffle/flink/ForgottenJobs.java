package dev.blobshuffle.flink;

import dev.blobshuffle.core.internal.retention.JobSweep;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.SweepPace;
import dev.blobshuffle.core.internal.store.StorePlaces;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

/** Does what {@code blobshuffle gc --flink} does. Owned by one test. */
final class ForgottenJobs implements AutoCloseable {
    private final SystemTime time = new SystemTime();
    private final BlobStore store;
    private final JobSweep sweep;

    /** The jobs of a store that the user named. */
    ForgottenJobs(String uri) {
        store = BlobStores.openUnchecked(
                StorePlaces.below(uri, "flink"), StoreContext.unmetered(time).existing());
        sweep = new JobSweep(store, new SweepPace(100_000, 1 << 20, 100_000, 100_000), new StopSignal(time), time);
    }

    Set<Integer> owners() throws InterruptedException {
        Set<Integer> owners = new TreeSet<>();
        for (JobSweep.Job job : sweep.jobs()) {
            owners.add(job.owner());
        }
        return owners;
    }

    long blobs(int owner) {
        try {
            return sweep.job(owner).blobs();
        } catch (InterruptedException e) {
            throw new IllegalStateException("Cannot count blobs: interrupted.", e);
        }
    }

    long forget(int owner, Duration floor) throws InterruptedException {
        return sweep.forget(sweep.job(owner), floor);
    }

    @Override
    public void close() {
        store.close();
        time.close();
    }
}
