package dev.blobshuffle.simulator;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real thread on which a simulation runs actors and tasks, one thread at a time: the one with the
 * baton. Carriers outlive simulations and are reused, because making a thread costs more than a
 * whole schedule. The baton's hand-over orders all memory accesses, so the state of a simulation
 * needs no locks.
 */
public final class Carrier extends Thread {
    /** Carriers of ended simulations, kept for reuse. At most as many as ran at the same time. */
    private static final ConcurrentLinkedDeque<Carrier> SPARE = new ConcurrentLinkedDeque<>();

    private volatile boolean hasBaton;

    /**
     * The job to run at the bottom of the stack when the next baton arrives; guarded by the baton.
     */
    private @Nullable Runnable job;

    /**
     * The activity that runs on this carrier; null between two activities. Guarded by the baton.
     */
    @Nullable
    Activity activity;

    private Carrier() {
        super("simulation-carrier");
        setDaemon(true);
    }

    static Carrier take() {
        Carrier spare = SPARE.pollFirst();
        if (spare != null) {
            return spare;
        }
        Carrier carrier = new Carrier();
        carrier.start();
        return carrier;
    }

    /**
     * Returns the carrier for use by other simulations. It has ended its job, or ends it without
     * touching its simulation again.
     */
    void spare() {
        SPARE.addFirst(this);
    }

    /** Hands the baton to a carrier that waits at the bottom of its stack. */
    void start(Runnable job) {
        this.job = job;
        giveBaton();
    }

    /** Hands the baton over; the caller must not touch the simulation until it has it back. */
    void giveBaton() {
        hasBaton = true;
        LockSupport.unpark(this);
    }

    /** Waits for the baton. Called by this thread only. */
    void awaitBaton() {
        while (!hasBaton) {
            LockSupport.park(this);
        }
        hasBaton = false;
    }

    @Override
    public void run() {
        while (true) {
            awaitBaton();
            Runnable next = job;
            job = null;
            if (next != null) {
                next.run();
            }
        }
    }
}
