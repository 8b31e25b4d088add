package dev.blobshuffle.cli.gc;

import dev.blobshuffle.core.internal.retention.JobSweep;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.SweepPace;
import dev.blobshuffle.core.internal.store.StorePlaces;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;

/** Names the blobs of Flink jobs, and deletes those of one job. Owned by one thread. */
final class JobPass {
    private final BlobStore store;
    private final JobSweep sweep;
    private final PrintWriter out;

    JobPass(BlobStore store, SweepPace pace, Time time, PrintWriter out) {
        this.store = store;
        sweep = new JobSweep(store, pace, new StopSignal(time), time);
        this.out = out;
    }

    /** The URI of the blobs of Flink in a store. */
    static String place(String uri) {
        return StorePlaces.below(uri, "flink");
    }

    /** Prints all jobs. */
    void look() throws InterruptedException {
        List<JobSweep.Job> jobs = sweep.jobs();
        out.println(store.location() + " has blobs of " + jobs.size() + " jobs.");
        jobs.forEach(job -> out.println(text(job) + "."));
        out.println("Nothing was changed; give --forget OWNER to delete the blobs of a job.");
        out.flush();
    }

    /** Deletes the blobs of a job. */
    void forget(int owner, Duration floor, boolean executes) throws InterruptedException {
        JobSweep.Job job = sweep.job(owner);
        out.println(text(job) + ".");
        if (executes) {
            out.println("Deleted " + sweep.forget(job, floor) + " blobs.");
        } else {
            sweep.requireOld(job, floor);
            out.println("Nothing was changed; run it with --execute.");
        }
        out.flush();
    }

    private static String text(JobSweep.Job job) {
        return "Owner " + BlobId.hex(job.owner()) + ", job " + job.name().orElse("of an unknown name") + ": "
                + job.blobs() + " blobs"
                + job.newest().map(newest -> ", the newest of " + newest).orElse("");
    }
}
