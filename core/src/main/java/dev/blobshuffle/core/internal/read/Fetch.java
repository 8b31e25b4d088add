package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.BlobMissing;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.failure.DeliveryFailed;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One range read, for one or more segments that lie side by side, and the bytes it brought until
 * the last of them is decoded. While the store is unavailable its decorators go on asking, until
 * the fetch gives the read up. If nothing has come for a minute the fetch asks the store past the
 * caches.
 *
 * <p>If the store answers that the blob is missing, the fetch asks it again, past the caches, for
 * about three seconds: a store may show a blob late, and a mount or a restore may be under way.
 *
 * <pre>
 *   READING ──bytes, or a lasting failure──▶ ARRIVED ──last user leaves──▶ ENDED
 *      └────────────────────────last user leaves──────────────────────────┘   the read is given up; the memory goes back when it ends
 * </pre>
 *
 * <p>Owned by the Debatcher's thread, but for the state: reads end on the store's threads, which
 * hand over by setting it.
 */
final class Fetch {
    /**
     * For so long whatever stands before the store may take; the largest read takes as long at 1
     * MiB/s.
     */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** The wait before a missing blob is asked for again; it doubles with each time. */
    private static final Duration FIRST_WAIT = Duration.ofMillis(100);

    /** How often a missing blob is asked for again: 3.1 seconds in all. */
    private static final int WAITS = 5;

    private static final Logger LOG = LoggerFactory.getLogger(Fetch.class);

    /** What a fetch is doing. */
    enum State {
        /** The read is under way. */
        READING,
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
    private final AtomicReference<@Nullable Read> current = new AtomicReference<>();
    private volatile Time.@Nullable Cancellable timer;

    /**
     * How often a missing blob may still be asked for again. One read is current at a time, and its
     * end changes this.
     */
    private int waitsLeft = WAITS;

    private @Nullable BlobBytes bytes;
    private @Nullable BlobShuffleException failure;

    /**
     * A fetch that has not started. It takes over the bytes of the budget and the reserve that were
     * acquired for it.
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

    /** Adds a user, before the start. One that has failed already asks once. */
    void join(QueuedSegment<?> user) {
        users.add(user);
        if (user.hasFailed()) {
            waitsLeft = 0;
        }
    }

    /** Removes a user; the last one ends the fetch. */
    void leave(QueuedSegment<?> user) {
        users.remove(user);
        if (!users.isEmpty()) {
            return;
        }
        State before = state.getAndSet(State.ENDED);
        if (before == State.ARRIVED) {
            if (bytes != null) {
                bytes.close();
            }
            giveBack();
        } else if (before == State.READING) {
            stopTimer();
            Read running = current.get();
            if (running != null) {
                running.abandon();
            }
        }
    }

    /** Starts the read. */
    void start() {
        Read read = new Read();
        current.set(read);
        read.start(engine.sharingStore(), range);
        if (state.get() == State.READING) {
            try {
                timer = engine.time().schedule(PATIENCE, this::askStore);
            } catch (Closed e) {
                // The process ends: the read stays as it is.
            }
            if (current.get() == null) {
                stopTimer(); // It ended meanwhile.
            }
        }
    }

    /** Asks the store alone, once: whatever stands before it may be what hangs. */
    private void askStore() {
        Read hanging = current.get();
        Read read = new Read();
        if (hanging != null && state.get() == State.READING && current.compareAndSet(hanging, read)) {
            read.start(engine.store(), range.afresh());
            hanging.abandon();
        }
    }

    /**
     * Asks again later for a blob that is missing. False when it has been missing for long enough,
     * or time ends.
     */
    private boolean askAgain() {
        if (waitsLeft == 0) {
            return false;
        }
        if (waitsLeft == WAITS) {
            LOG.warn(
                    "Blob {} is missing in {}; asking again.",
                    blob,
                    engine.store().location());
        }
        Duration wait = FIRST_WAIT.multipliedBy(1L << (WAITS - waitsLeft));
        waitsLeft--;
        Read next = new Read();
        current.set(next);
        try {
            engine.time().schedule(wait, () -> next.start(engine.store(), range.afresh()));
        } catch (Closed e) {
            return !current.compareAndSet(next, null);
        }
        if (state.get() == State.ENDED) {
            next.abandon(); // Left meanwhile, before there was a next read.
        }
        return true;
    }

    private void stopTimer() {
        Time.Cancellable running = timer;
        if (running != null) {
            running.cancel();
        }
    }

    /** One way of asking. Only the current one counts; what another brings goes back. */
    private final class Read {
        private final AtomicBoolean isBegun = new AtomicBoolean();
        private volatile @Nullable CompletionStage<BlobBytes> stage;

        /** Begins, unless it was abandoned before. */
        void start(BlobStore store, BlobRange asked) {
            if (!isBegun.compareAndSet(false, true)) {
                return;
            }
            try {
                CompletionStage<BlobBytes> answer = store.get(blob, asked);
                stage = answer;
                var ignored = answer.whenComplete(this::ended);
            } catch (RuntimeException | Error e) {
                ended(null, e);
            }
            if (state.get() == State.ENDED) {
                abandon(); // Left meanwhile, before there was a stage.
            }
        }

        void abandon() {
            if (isBegun.compareAndSet(false, true)) {
                ended(null, null); // it was still waiting for its time
                return;
            }
            CompletionStage<BlobBytes> running = stage;
            if (running != null) {
                Abandonable.abandon(running);
            }
        }

        private void ended(@Nullable BlobBytes brought, @Nullable Throwable thrown) {
            if (current.compareAndSet(this, null)) {
                if (cause(thrown) instanceof BlobMissing && state.get() == State.READING && askAgain()) {
                    return;
                }
                stopTimer();
                arrive(brought, thrown);
            } else if (brought != null) {
                brought.close();
            }
        }
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

    private void arrive(@Nullable BlobBytes brought, @Nullable Throwable thrown) {
        if (brought == null) {
            failure = lasting(cause(thrown));
        }
        bytes = brought;
        if (state.compareAndSet(State.READING, State.ARRIVED)) {
            arrivals.arrived(this);
            return;
        }
        if (brought != null) {
            brought.close();
        }
        giveBack();
    }

    private static @Nullable Throwable cause(@Nullable Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }

    private BlobShuffleException lasting(@Nullable Throwable cause) {
        if (cause instanceof BlobShuffleException known) {
            return known;
        }
        return new DeliveryFailed(
                "Cannot read blob " + blob + ": the client of " + engine.store().location()
                        + " broke. Start again; if it lasts, the cause says what is wrong with it.",
                cause);
    }

    private void giveBack() {
        engine.budget().release(budgeted);
        engine.budget().releaseReserve(reserved);
    }
}
