package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.Step.Verdict;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the owners' protocol for an instance in the background, so that the instance starts without
 * brokers or database. It finds or creates the instance's owner before the first blob, and checks
 * its cluster's line every minute. Puts wait until the first check, and whenever the last check is
 * two minutes old. Thread-safe; one thread does the work.
 */
public final class OwnerWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerWatch.class);

    private static final Duration FIRST_RETRY = Duration.ofMillis(500);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

    private final OwnerSource source;
    private final OwnerTiming timing;
    private final StoreCell cell;
    private final int fingerprint;
    private final String location;
    private final Time time;
    private final Time.Workers worker;
    private volatile Permit permit = Permit.NONE;
    private volatile boolean isClosed;
    private volatile CompletableFuture<Integer> attempt = new CompletableFuture<>();

    /** Owned by the worker, like the fields below. */
    private @Nullable OwnerClaimant claimant;

    private boolean isMade;
    private Duration pause = FIRST_RETRY;
    private boolean isWarned;
    private String reported = "";

    /**
     * The permission to store blobs.
     *
     * @param owner the owner of the blobs
     * @param until the end of the permit; monotonic, in nanoseconds
     */
    private record Permit(Optional<Integer> owner, long until) {
        static final Permit NONE = new Permit(Optional.empty(), 0);
    }

    private OwnerWatch(BlobStore store, Registers registers, OwnerSource source, OwnerTiming timing, Time time) {
        this.source = source;
        this.timing = timing;
        this.time = time;
        cell = new StoreCell(registers, OwnerText.REGISTER);
        fingerprint = store.fingerprint();
        location = store.location();
        worker = time.workers("blobshuffle-claim", 1);
    }

    /**
     * Watches a store in the background. A store without registers is returned as it is, because it
     * is not swept, and its blobs have no owner.
     *
     * @param store closed with the returned store
     * @return the store, whose puts wait for an owner; closing it ends the watch
     */
    public static BlobStore watched(BlobStore store, OwnerSource source, OwnerTiming timing, Time time) {
        Optional<Registers> registers = store.registers();
        if (registers.isEmpty()) {
            return store;
        }
        OwnerWatch watch = new OwnerWatch(store, registers.get(), source, timing, time);
        watch.workLater(Duration.ZERO);
        return new OwnedBlobStore(store, watch);
    }

    /**
     * The owner of blobs that are stored now. Without a valid permit, the stage waits for the
     * current check, and fails if the check fails.
     */
    CompletionStage<Integer> owner() {
        CompletionStage<Integer> next = attempt; // Read this before the permit; the opposite order could miss a check.
        Permit now = permit;
        return now.owner().isPresent() && time.nanos() - now.until() < 0
                ? CompletableFuture.completedFuture(now.owner().get())
                : next;
    }

    private void workLater(Duration delay) {
        try {
            if (delay.isZero()) {
                worker.execute(this::work);
            } else {
                time.schedule(delay, () -> workLater(Duration.ZERO));
            }
        } catch (ClosedException e) {
            LOG.trace("The instance has ended.", e);
        }
    }

    private void work() {
        if (isClosed) {
            return;
        }
        // The pause is three quarters of the interval, so each check ends within the interval if it
        // takes at most a quarter.
        Duration next = timing.check().multipliedBy(3).dividedBy(4);
        try {
            Instant began = StoreClock.own(time);
            Verdict verdict = known().check(cell);
            report(verdict); // Log before the waiting puts continue.
            permit();
            if (!isMade && known().state().hasRaised()) {
                compareClocks(began);
            }
            isMade = true;
            isWarned = false;
            pause = FIRST_RETRY;
        } catch (RuntimeException e) { // Catch any exception, because this thread must continue to check.
            next = failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        workLater(next);
    }

    private OwnerClaimant known() throws InterruptedException {
        OwnerClaimant present = claimant;
        if (present == null) {
            present = new OwnerClaimant(source.seat(fingerprint), timing, time);
            claimant = present;
        }
        return present;
    }

    private void permit() throws InterruptedException {
        OwnerClaimant present = known();
        if (!present.mayStore()) {
            throw new StoreUnavailableException(
                    "Cannot use claims topic " + present.rules().member().topic() + ": "
                            + sentence(present.trouble().orElse("the check took too long")));
        }
        long checked = present.state().checkedAt().orElseThrow();
        int owner = present.state().owner().orElseThrow();
        permit = new Permit(Optional.of(owner), checked + timing.storesFor().toNanos());
        renewed().complete(owner);
    }

    /** Returns the attempt that has ended, and starts the next one for later callers. */
    private CompletableFuture<Integer> renewed() {
        CompletableFuture<Integer> ended = attempt;
        attempt = new CompletableFuture<>();
        if (isClosed) {
            attempt.completeExceptionally(closed());
        }
        return ended;
    }

    /**
     * Warns if this machine's clock is wrong, because its blobs will carry a wrong minute. The
     * first check has just written the register, so the register's time shows the store's clock.
     */
    private void compareClocks(Instant began) {
        try {
            cell.read()
                    .flatMap(register -> StoreClock.of(location, time, register.stored(), began)
                            .differenceFromOwn())
                    .ifPresent(difference -> LOG.warn(
                            "A clock is wrong: {}. Blobs carry the time of their writer, and nothing is deleted from a"
                                    + " store with blobs of the future. Correct the clock (NTP).",
                            difference));
        } catch (StoreUnavailableException e) {
            LOG.debug("The clock of {} could not be read.", location, e);
        }
    }

    private void report(Verdict verdict) throws InterruptedException {
        String trouble = known().trouble().orElse("");
        if (verdict != Verdict.OWN && known().mayStore() && !trouble.equals(reported)) {
            LOG.warn(
                    "Nothing of this {} is deleted from {}: {} Applications continue, and unneeded blobs accumulate."
                            + " docs/operations.md, \"Who may delete what, and when\", describes how to continue.",
                    verdict == Verdict.CONTESTED ? "cluster" : "instance's cluster",
                    location,
                    sentence(trouble));
        }
        reported = trouble;
    }

    /** Ends a reason with a full stop. The brokers' reasons have one, others do not. */
    private static String sentence(String reason) {
        return reason.endsWith(".") ? reason : reason + ".";
    }

    private Duration failed(RuntimeException e) {
        if (!isClosed && !isWarned) {
            isWarned = true;
            LOG.warn(
                    "The claim to {} cannot be {}: {} Trying again.",
                    location,
                    isMade ? "checked" : "made",
                    sentence(String.valueOf(e.getMessage() == null ? e : e.getMessage())));
        }
        LOG.debug("The claim to {} failed.", location, e);
        renewed()
                .completeExceptionally(
                        e instanceof InvalidSettingsException
                                ? e
                                : new StoreUnavailableException(
                                        "Cannot store a blob in " + location
                                                + ": the claim to the store is not made yet: "
                                                + sentence(String.valueOf(e.getMessage())),
                                        e));
        Duration now = pause;
        pause = pause.multipliedBy(2).compareTo(LONGEST_RETRY) < 0 ? pause.multipliedBy(2) : LONGEST_RETRY;
        return now;
    }

    private ClosedException closed() {
        return new ClosedException("Cannot store a blob in " + location + ": the store is closed.");
    }

    /** Stops checking. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
        worker.close();
        attempt.completeExceptionally(closed());
    }
}
