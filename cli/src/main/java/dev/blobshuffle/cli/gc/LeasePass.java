package dev.blobshuffle.cli.gc;

import dev.blobshuffle.core.internal.claim.LeaseRegister;
import dev.blobshuffle.core.internal.owner.LeaseText.Line;
import dev.blobshuffle.core.internal.owner.LeaseText.State;
import dev.blobshuffle.core.internal.retention.LeaseSweep;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.SweepPace;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Sweeps the blobs of applications with a lease, such as those of Spark. Needs no brokers. Owned by
 * one thread.
 */
final class LeasePass {
    private final LeaseSweep sweep;
    private final LeaseRegister register;
    private final BlobStore store;
    private final StopSignal stopSignal;

    LeasePass(BlobStore store, SweepPace pace, StopSignal stopSignal, Time time) {
        this.store = store;
        this.stopSignal = stopSignal;
        sweep = new LeaseSweep(store, Set.of(), pace, stopSignal, time);
        register = new LeaseRegister(store, time);
    }

    /** Prints the leases. */
    void look(PrintWriter out) {
        Map<Integer, Line> leases = sweep.leases();
        out.println(store.location() + " has " + leases.size() + " leases.");
        leases.forEach((owner, line) -> out.println("Owner " + BlobId.hex(owner) + " of " + line.name() + ": "
                + (line.state() == State.LIVE ? "renewed at " : "found to have ended at ")
                + line.since().map(Object::toString).orElse("an unknown time") + ", lasts " + line.length() + "."));
        register.held()
                .ifPresent(reason ->
                        out.println("Nothing is deleted: " + reason + ". End that with --only-cluster --execute."));
        out.println("Nothing was changed; run it with --execute.");
        out.flush();
    }

    /** Ends the hold of an operator. */
    void settle() throws InterruptedException {
        register.settle();
    }

    /**
     * Deletes the blobs of ended leases. If the grace period of ended leases still runs, waits for
     * its end and deletes again.
     */
    void run(PrintWriter out) throws InterruptedException {
        LeaseSweep.Report first = sweep.pass();
        LeaseSweep.Report second = new LeaseSweep.Report(0, 0, 0);
        Optional<Duration> grace = sweep.leases().values().stream()
                .filter(line -> line.state() == State.ENDED)
                .map(Line::grace)
                .max(Duration::compareTo);
        if (grace.isPresent() && register.held().isEmpty()) {
            stopSignal.rest(grace.get().plusSeconds(1));
            second = sweep.pass();
        }
        out.println("Deleted " + (first.blobs() + second.blobs()) + " blobs of " + (first.owners() + second.owners())
                + " applications whose lease had ended. " + sweep.leases().size() + " leases are left.");
        out.flush();
    }
}
