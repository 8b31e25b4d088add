package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.claim.LeaseRegister;
import dev.blobshuffle.core.internal.owner.LeaseText.Line;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An application's lease: an owner of its own for its blobs, for as long as it renews the lease.
 * Beside that it deletes the blobs of applications whose leases have ended. Its failures stop
 * nothing else. Thread-safe; the work runs on two threads.
 */
public final class LeaseWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseWatch.class);
    private static final Duration LONGEST_RENEWAL = Duration.ofMinutes(1);

    private final BlobStore store;
    private final LeaseRegister register;
    private final int owner;
    private final Terms terms;
    private final Runnable whenLost;
    private final Time time;
    private final StopSignal stopSignal;
    private final Time.Workers renewing;
    private final Time.Workers sweeping;

    /** Held by the one who renews the lease, or ends it. */
    private final ReentrantLock lease = new ReentrantLock();

    /** When the lease was renewed last; monotonic, in nanoseconds. */
    private volatile long renewed;

    private volatile boolean isClosed;

    /**
     * The lease that an application asks for.
     *
     * @param length how long its blobs stay if it does not renew the lease
     * @param name of the application, for people
     */
    public record Terms(Duration length, String name) {
        Duration renewal() {
            Duration tenth = length.dividedBy(10);
            return tenth.compareTo(LONGEST_RENEWAL) < 0 ? tenth : LONGEST_RENEWAL;
        }
    }

    private LeaseWatch(BlobStore store, int owner, Terms terms, Runnable whenLost, Time time) {
        this.store = store;
        register = new LeaseRegister(store, time);
        this.owner = owner;
        this.terms = terms;
        this.whenLost = whenLost;
        this.time = time;
        stopSignal = new StopSignal(time);
        renewed = time.nanos();
        renewing = time.workers("blobshuffle-lease", 1);
        sweeping = time.workers("blobshuffle-lease-sweep", 1);
    }

    /**
     * Takes a lease, and begins to renew it and to sweep. Blocks until the store answers.
     *
     * @param store stays the caller's
     * @param whenLost runs if the lease was over, and others may have deleted blobs of the owner
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the store has no
     *     registers
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the store does
     *     not answer
     */
    public static LeaseWatch begin(BlobStore store, Terms terms, Runnable whenLost, Time time) {
        try {
            int owner = new LeaseRegister(store, time).take(terms.length(), terms.name());
            LeaseWatch watch = new LeaseWatch(store, owner, terms, whenLost, time);
            watch.later(terms.renewal(), watch.renewing, watch::renew);
            watch.later(Duration.ZERO, watch.sweeping, watch::sweep);
            return watch;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClosedException("Cannot take a lease in " + store.location() + ": interrupted. Start again.", e);
        }
    }

    /** Whose blobs the application stores. */
    public int owner() {
        return owner;
    }

    private void later(Duration delay, Time.Workers worker, Work work) {
        try {
            Time.Cancellable ignored = time.schedule(delay, () -> run(worker, work));
        } catch (ClosedException e) {
            LOG.trace("The application has ended.", e);
        }
    }

    private void run(Time.Workers worker, Work work) {
        try {
            worker.execute(() -> {
                if (isClosed) {
                    return;
                }
                try {
                    work.run();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        } catch (ClosedException e) {
            LOG.trace("The application has ended.", e);
        }
    }

    @FunctionalInterface
    private interface Work {
        void run() throws InterruptedException;
    }

    private void renew() throws InterruptedException {
        lease.lockInterruptibly();
        try {
            if (!isClosed) {
                renewOpen();
            }
        } finally {
            lease.unlock();
        }
    }

    private void renewOpen() throws InterruptedException {
        try {
            Optional<Line> before = register.renew(owner, terms.length(), terms.name());
            renewed = time.nanos();
            if (before.isEmpty()) {
                LOG.warn(
                        "The lease of this application in {} was over for longer than {}, so its blobs were deleted."
                                + " Did this machine stand still?",
                        store.location(),
                        terms.length());
                whenLost.run();
            }
        } catch (BlobShuffleException e) {
            Duration since = Duration.ofNanos(time.nanos() - renewed);
            if (since.compareTo(terms.length().dividedBy(2)) > 0) {
                LOG.warn(
                        "The lease of this application in {} is not renewed for {} and ends after {}. Then others may"
                                + " delete its blobs. Check the store.",
                        store.location(),
                        since,
                        terms.length(),
                        e);
            }
        } finally {
            later(terms.renewal(), renewing, this::renew);
        }
    }

    private void sweep() throws InterruptedException {
        try {
            LeaseSweep.Report report =
                    new LeaseSweep(store, Set.of(owner), SweepPace.BESIDE_AN_APPLICATION, stopSignal, time).pass();
            LOG.debug("Swept by leases: {}", report);
        } catch (ClosedException e) {
            LOG.trace("The application has ended.", e);
        } catch (BlobShuffleException e) {
            LOG.info("Blobs of applications that are gone were not deleted. The next pass tries again.", e);
        } finally {
            later(terms.length().dividedBy(4), sweeping, this::sweep);
        }
    }

    /**
     * Deletes all blobs of the owner, and keeps the lease. Blocks until the store answers.
     *
     * @param patience how long it waits for the store's first answer
     * @throws StoreUnavailableException recoverable: the store does not answer
     */
    public void clear(Duration patience) {
        for (long generation : firstAnswer(store.generations(owner), patience)) {
            List<StoredBlob> left =
                    store.list(owner, generation).toCompletableFuture().join();
            List<BlobId> ids = left.stream().map(StoredBlob::id).toList();
            Void ignored = store.delete(ids).toCompletableFuture().join();
        }
    }

    private <T> T firstAnswer(CompletionStage<T> request, Duration patience) {
        CompletableFuture<T> answer = request.toCompletableFuture().copy();
        Time.Cancellable limit = time.schedule(patience, () -> answer.completeExceptionally(silent(patience)));
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof BlobShuffleException failure ? failure : e;
        } finally {
            limit.cancel();
        }
    }

    private StoreUnavailableException silent(Duration patience) {
        return new StoreUnavailableException("Cannot delete the blobs of this application: " + store.location()
                + " did not answer for " + patience + ". Another application, or gc, deletes them.");
    }

    /**
     * Deletes all blobs of the owner and gives up the lease. Blocks until the store answers. If
     * that fails, the lease ends by itself, and another application deletes the blobs.
     *
     * @param patience how long it waits for the store's first answer
     * @throws StoreUnavailableException recoverable: the store does not answer
     */
    public void end(Duration patience) {
        close();
        try {
            if (!lease.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw silent(patience);
            }
            try {
                clear(patience);
                register.remove(owner);
            } finally {
                lease.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops. The lease ends by itself. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
        stopSignal.raise();
        renewing.close();
        sweeping.close();
    }
}
