package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.claim.Claimant.Verdict;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An instance's claim to its store: made before its first blob, and checked every minute. It works
 * in the background, so that an instance starts without brokers or database; until the claim is
 * made, puts wait, and fail as an unavailable store does. Thread-safe; the work is on one thread.
 */
public final class ClaimWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimWatch.class);
    /** How often each instance looks for strangers. */
    public static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final Duration FIRST_RETRY = Duration.ofMillis(500);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

    private final ClaimSource source;
    private final StoreCell cell;
    private final int fingerprint;
    private final String location;
    private final Time time;
    private final Time.Workers worker;
    private final Duration interval;
    private volatile boolean isMade;
    private volatile boolean isClosed;
    private volatile CompletableFuture<Boolean> attempt = new CompletableFuture<>();

    /** Owned by the worker, as what follows. */
    private @Nullable Claimant claimant;

    private Set<String> lines = Set.of();
    /** When the last attempt to make the claim began, by this machine's clock. */
    private Instant began = Instant.EPOCH;

    private Duration pause = FIRST_RETRY;
    private boolean isWarned;
    private boolean isContested;

    private ClaimWatch(BlobStore store, Registers registers, ClaimSource source, Duration interval, Time time) {
        this.source = source;
        this.interval = interval;
        this.time = time;
        cell = new StoreCell(store, registers);
        fingerprint = store.fingerprint();
        location = store.location();
        worker = time.workers("blobshuffle-claim", 1);
    }

    /**
     * Claims a store in the background. A store without registers is returned as it is: nobody
     * sweeps it.
     *
     * @param store closed with the store that is returned
     * @return the store, whose puts wait for the claim; closing it ends the claim
     */
    public static BlobStore claimed(BlobStore store, ClaimSource source, Time time) {
        return claimed(store, source, INTERVAL, time);
    }

    /** The same with another interval, for tests. */
    public static BlobStore claimed(BlobStore store, ClaimSource source, Duration interval, Time time) {
        Optional<Registers> registers = store.registers();
        if (registers.isEmpty()) {
            return store;
        }
        ClaimWatch watch = new ClaimWatch(store, registers.get(), source, interval, time);
        watch.workLater(Duration.ZERO);
        return new ClaimedBlobStore(store, watch);
    }

    /** Whether blobs may be stored. */
    boolean isMade() {
        return isMade;
    }

    /**
     * The attempt under way: completes when the claim is made, and fails with
     * {@link StoreUnavailable}.
     */
    CompletionStage<Boolean> attempt() {
        return attempt;
    }

    private void workLater(Duration delay) {
        try {
            if (delay.isZero()) {
                worker.execute(this::work);
            } else {
                time.schedule(delay, () -> workLater(Duration.ZERO));
            }
        } catch (Closed e) {
            LOG.trace("The instance has ended.", e);
        }
    }

    private void work() {
        if (isClosed) {
            return;
        }
        Duration next = interval;
        try {
            if (isMade) {
                tell(known().check(lines));
            } else {
                tell(raise());
                isMade = true;
                attempt.complete(true);
                compareClocks();
            }
            isWarned = false;
            pause = FIRST_RETRY;
        } catch (RuntimeException e) { // Whatever it is: without this thread nobody looks any more.
            next = failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        workLater(next);
    }

    private Claimant known() throws InterruptedException {
        Claimant present = claimant;
        if (present == null) {
            present = source.claimant(cell, fingerprint);
            claimant = present;
        }
        return present;
    }

    private Verdict raise() throws InterruptedException {
        began = StoreClock.own(time);
        lines = source.lines();
        try {
            return known().raise(lines);
        } catch (RuntimeException e) {
            lines = source.linesAfter(e).orElseThrow(() -> e);
            return known().raise(lines);
        }
    }

    /**
     * Warns if this machine's clock is wrong: its blobs will carry a wrong minute. The claim has
     * just written the register, so its time is the store's.
     */
    private void compareClocks() {
        if (isContested) {
            return; // Then it has not written the register.
        }
        try {
            cell.read()
                    .flatMap(register -> StoreClock.of(location, time, register.stored(), began)
                            .differenceFromOwn())
                    .ifPresent(difference -> LOG.warn(
                            "A clock is wrong: {}. Blobs carry the time of their writer, and nothing is deleted from a"
                                    + " store with blobs of the future. Correct the clock (NTP).",
                            difference));
        } catch (StoreUnavailable e) {
            LOG.debug("The clock of {} could not be read.", location, e);
        }
    }

    private void tell(Verdict verdict) {
        if (!verdict.isOwn() && !isContested) {
            LOG.warn(
                    "Nobody may delete blobs from {}: {}. Applications go on, and blobs pile up. Give each cluster and each"
                            + " log a store (prefix) of its own; docs/operations.md, \"When a sweep stops\", says how to go on.",
                    location,
                    verdict.contest().orElse(""));
        }
        isContested = !verdict.isOwn();
    }

    private Duration failed(RuntimeException e) {
        if (!isClosed && !isWarned) {
            isWarned = true;
            LOG.warn(
                    "The claim to {} cannot be {}: {} Trying again.",
                    location,
                    isMade ? "checked" : "made",
                    e.getMessage() == null ? e : e.getMessage());
        }
        LOG.debug("The claim to {} failed.", location, e);
        if (!isMade) {
            CompletableFuture<Boolean> failing = attempt;
            attempt = new CompletableFuture<>();
            failing.completeExceptionally(
                    e instanceof InvalidSettings
                            ? e
                            : new StoreUnavailable(
                                    "Cannot store a blob in " + location + ": the claim to the store is not made yet: "
                                            + e.getMessage(),
                                    e));
        }
        Duration now = pause;
        pause = pause.multipliedBy(2).compareTo(LONGEST_RETRY) < 0 ? pause.multipliedBy(2) : LONGEST_RETRY;
        return now;
    }

    /** Stops checking. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
        worker.close();
        attempt.completeExceptionally(new Closed("Cannot store a blob in " + location + ": the store is closed."));
    }
}
