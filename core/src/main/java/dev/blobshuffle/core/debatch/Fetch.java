package dev.blobshuffle.core.debatch;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.BlobMissing;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.failure.DeliveryFailed;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One range read, for one or more segments that lie side by side, and the bytes it brought until the last of them is decoded. A store that is unavailable
 * is asked again without end, with growing delays, and so is one that does not answer.
 *
 * <pre>
 *   READING ──bytes, or a lasting failure──▶ ARRIVED ──last user leaves──▶ ENDED
 *    │  ▲ │                                                                  ▲
 *    │  │ └────────────────────────last user leaves──────────────────────────┤   the attempt under way gives the memory back when it ends
 *    ▼  │                                                                    │
 *   WAITING ───────────────────────last user leaves──────────────────────────┘
 * </pre>
 *
 * <p>Owned by the Debatcher's thread, but for the state: attempts end on the store's threads, which hand over by setting it.
 */
final class Fetch {
    /** The largest read takes this long at 1 MiB/s. A store that gives up earlier on its own is welcome to. */
    private static final Duration ATTEMPT_TIMEOUT = Duration.ofMinutes(1);

    private static final long FIRST_DELAY_NANOS = Duration.ofMillis(20).toNanos();
    private static final long LONGEST_DELAY_NANOS = Duration.ofSeconds(5).toNanos();

    /** What a fetch is doing. */
    enum State {
        /** An attempt is under way. */
        READING,
        /** The last attempt failed and the next one is scheduled. */
        WAITING,
        /** Bytes or a failure are there; the memory belongs to the users. */
        ARRIVED,
        /** Nobody uses it any more. */
        ENDED
    }

    private final ReadEngine engine;
    private final Arrivals arrivals;
    private final BlobId blob;
    private final BlobRange range;
    private final long budgeted;
    private final long reserved;
    private final List<QueuedSegment<?>> users = new ArrayList<>(1);
    private final AtomicReference<State> state = new AtomicReference<>(State.READING);

    /** Written by the attempt under way: there is never more than one. */
    private int failures;

    /** Set when an attempt had no answer: then whatever stands before the store, which may be what hangs, is left out. As {@link #failures}. */
    private volatile boolean isStoreAsked;

    private @Nullable BlobBytes bytes;
    private @Nullable BlobShuffleException failure;

    /**
     * A fetch that has not started. It takes over the bytes of the budget and the reserve that were acquired for it.
     *
     * @param budgeted bytes of the budget to give back in the end
     * @param reserved bytes of the reserve to give back in the end
     */
    Fetch(ReadEngine engine, Arrivals arrivals, BlobId blob, BlobRange range, long budgeted, long reserved) {
        this.engine = engine;
        this.arrivals = arrivals;
        this.blob = blob;
        this.range = range;
        this.budgeted = budgeted;
        this.reserved = reserved;
    }

    /** Where a fetch reports, once, that it has arrived. */
    interface Arrivals {
        /** Takes a fetch that has arrived. Called on any thread; only enqueues. */
        void arrived(Fetch fetch);
    }

    /** Whether its bytes are those of the reserve. */
    boolean isFromReserve() {
        return reserved > 0;
    }

    /** Adds a user, before the start. */
    void join(QueuedSegment<?> user) {
        users.add(user);
    }

    /** Removes a user; the last one ends the fetch. */
    void leave(QueuedSegment<?> user) {
        users.remove(user);
        if (!users.isEmpty()) {
            return;
        }
        State before = state.getAndSet(State.ENDED);
        if (before == State.ARRIVED && bytes != null) {
            bytes.close();
        }
        if (before == State.ARRIVED || before == State.WAITING) {
            giveBack();
        }
    }

    /** Starts the first attempt. */
    void start() {
        attempt();
    }

    /** Tells the users that are left that the bytes, or a failure, are there. */
    void announce() {
        for (QueuedSegment<?> user : List.copyOf(users)) {
            user.arrived();
        }
    }

    /** The failure that lasts, if there is one. Valid after the arrival. */
    @Nullable
    BlobShuffleException failure() {
        return failure;
    }

    /**
     * A view of a part of the bytes. Valid after an arrival without failure, until the user leaves.
     *
     * @param offset start of the part, bytes of the blob
     * @throws BlobCorrupt recoverable by a fresh read: fewer bytes came than were asked for
     */
    ByteBuffer view(long offset, long length) {
        ByteBuffer all = bytes == null ? ByteBuffer.allocate(0) : bytes.buffer();
        if (all.remaining() != range.length()) {
            throw new BlobCorrupt("Cannot read blob " + blob + ": " + all.remaining() + " bytes came for the "
                    + range.length() + " asked for at offset " + range.offset() + " of "
                    + engine.store().location() + ". Check the network and the proxies before the store.");
        }
        return all.slice(Math.toIntExact(all.position() + offset - range.offset()), Math.toIntExact(length));
    }

    private void attempt() {
        Attempt attempt = new Attempt();
        try {
            attempt.timer = engine.time().schedule(ATTEMPT_TIMEOUT, attempt::timeOut);
            // A repeated read must not join a shared one, which may be the one that hangs.
            BlobStore store = failures == 0 ? engine.sharingStore() : engine.store();
            CompletionStage<BlobBytes> answer = store.get(blob, isStoreAsked ? range.afresh() : range);
            attempt.shared = failures == 0 ? answer : null;
            answer.whenComplete(attempt::end);
        } catch (RuntimeException | Error e) {
            attempt.end(null, e);
        }
    }

    /** One request. Ends once: with its answer, or when it has had none for too long; a later answer is given back. */
    private final class Attempt {
        private final AtomicBoolean hasEnded = new AtomicBoolean();
        private volatile Time.@Nullable Cancellable timer;
        /** The place in a shared download, to be given up with the attempt. Others keep theirs, and a download that nobody wants is forgotten. */
        private volatile @Nullable CompletionStage<BlobBytes> shared;

        void end(@Nullable BlobBytes read, @Nullable Throwable thrown) {
            if (hasEnded.compareAndSet(false, true)) {
                Time.Cancellable running = timer;
                if (running != null) {
                    running.cancel();
                }
                ended(read, thrown);
            } else if (read != null) {
                read.close();
            }
        }

        void timeOut() {
            isStoreAsked = true;
            end(
                    null,
                    new StoreUnavailable(
                            "Cannot read blob " + blob + ": " + engine.store().location() + " has not answered for "
                                    + ATTEMPT_TIMEOUT.toSeconds() + " s. Check the network and the store."));
            CompletionStage<BlobBytes> given = shared;
            if (given != null) {
                given.toCompletableFuture().cancel(false);
            }
        }
    }

    private void ended(@Nullable BlobBytes read, @Nullable Throwable thrown) {
        if (read != null) {
            engine.answered();
            arrive(read, null);
            return;
        }
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        engine.failed(++failures, cause);
        if (cause instanceof BlobMissing
                || cause instanceof BlobCorrupt
                || cause instanceof InvalidSettings
                || cause instanceof Closed) {
            arrive(null, (BlobShuffleException) cause);
        } else if (cause instanceof Error) {
            arrive(
                    null,
                    new DeliveryFailed(
                            "Cannot read blob " + blob + ": the client of "
                                    + engine.store().location()
                                    + " broke. Start again; if it lasts, the cause says what is wrong with it.",
                            cause));
        } else if (state.compareAndSet(State.READING, State.WAITING)) {
            retryLater();
        } else {
            giveBack();
        }
    }

    private void arrive(@Nullable BlobBytes read, @Nullable BlobShuffleException lasting) {
        bytes = read;
        failure = lasting;
        if (state.compareAndSet(State.READING, State.ARRIVED)) {
            arrivals.arrived(this);
        } else {
            if (read != null) {
                read.close();
            }
            giveBack();
        }
    }

    private void retryLater() {
        try {
            engine.time().schedule(delay(), this::retry);
        } catch (Closed e) {
            if (state.compareAndSet(State.WAITING, State.READING)) {
                arrive(null, e);
            }
        }
    }

    private void retry() {
        if (state.compareAndSet(State.WAITING, State.READING)) {
            attempt();
        }
    }

    /** Doubles with each failure; half of it is left to chance, so that readers who failed together do not come back together. */
    private Duration delay() {
        long most = Math.min(LONGEST_DELAY_NANOS, FIRST_DELAY_NANOS << Math.min(failures - 1, 20));
        return Duration.ofNanos(most / 2 + Long.remainderUnsigned(engine.time().randomLong(), most / 2));
    }

    private void giveBack() {
        engine.budget().release(budgeted);
        engine.budget().releaseReserve(reserved);
    }
}
