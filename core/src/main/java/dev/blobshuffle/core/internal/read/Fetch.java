package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.time.Time;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One range read for one or more adjacent segments. It holds the bytes until the last of these
 * segments is decoded. While the store is unavailable, its decorators retry until the fetch
 * abandons the read. If no answer has come for a minute, the fetch asks the store directly,
 * bypassing the caches.
 *
 * <p>If the store answers that the blob is missing, the fetch asks it again for about three
 * seconds, bypassing the caches. A store may show a blob late, and a mount or a restore may be in
 * progress.
 *
 * <pre>
 *   READING ──bytes, or a lasting failure──▶ ARRIVED ──last user leaves──▶ ENDED
 *      └────────────────────────last user leaves──────────────────────────┘   the read is given up; the memory goes back when it ends
 * </pre>
 *
 * <p>Owned by the Debatcher's thread, except the state: reads end on the store's threads, which set
 * the state to hand over.
 */
final class Fetch {
    /**
     * The time that the caches before the store may take to answer. The largest read takes as long
     * at 1 MiB/s.
     */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** The wait before the first retry for a missing blob. It doubles with each retry. */
    private static final Duration FIRST_WAIT = Duration.ofMillis(100);

    /** The number of retries for a missing blob; they take 3.1 seconds in all. */
    private static final int WAITS = 5;

    private static final Logger LOG = LoggerFactory.getLogger(Fetch.class);

    /** The state of a fetch. */
    enum State {
        /** The read is running. */
        READING,
        /** Bytes or a failure have arrived. The users own the memory. */
        ARRIVED,
        /** The fetch has no users left. */
        ENDED
    }

    private final ReadEngine engine;
    private final Arrivals arrivals;
    private final BlobId blob;
    private final BlobRange range;
    private final Optional<CompletionStage<BlobBytes>> joined;
    private final List<QueuedSegment<?>> users = new ArrayList<>(1);
    private final AtomicReference<State> state = new AtomicReference<>(State.READING);
    private final AtomicReference<@Nullable Read> current = new AtomicReference<>();
    private volatile Time.@Nullable Cancellable timer;

    /**
     * Retries left for a missing blob. Only the end of the current read changes this, and at most
     * one read is current.
     */
    private int waitsLeft = WAITS;

    /** Bytes to give back at the end. Changes once, before the state is {@code ARRIVED}. */
    private volatile long budgeted;

    private volatile long reserved;
    private @Nullable BlobBytes bytes;
    private @Nullable BlobShuffleException failure;

    /**
     * A fetch that has not started. It owns the bytes of the budget and the reserve that were
     * acquired for it.
     *
     * @param budgeted bytes of the budget to release at the end
     * @param reserved bytes of the reserve to release at the end
     */
    Fetch(ReadEngine engine, Arrivals arrivals, BlobId blob, BlobRange range, long budgeted, long reserved) {
        this.engine = engine;
        this.arrivals = arrivals;
        this.blob = blob;
        this.range = range;
        this.budgeted = budgeted;
        this.reserved = reserved;
        this.joined = Optional.empty();
    }

    /** A fetch that has not started, from a shared download, which owns the memory. */
    Fetch(ReadEngine engine, Arrivals arrivals, BlobId blob, BlobRange range, CompletionStage<BlobBytes> joined) {
        this.engine = engine;
        this.arrivals = arrivals;
        this.blob = blob;
        this.range = range;
        this.joined = Optional.of(joined);
    }

    /** Receives a fetch, once, when it has arrived. */
    interface Arrivals {
        /** Takes a fetch that has arrived. Called on any thread; only enqueues. */
        void arrived(Fetch fetch);
    }

    /** Whether the fetch uses the reserve. */
    boolean isFromReserve() {
        return reserved > 0;
    }

    /**
     * Adds a user, before the start. If the user has failed before, the fetch does not retry a
     * missing blob.
     */
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
        read.start(() -> joined.orElseGet(() -> engine.shared().get(blob, range)));
        if (state.get() == State.READING) {
            try {
                timer = engine.time().schedule(PATIENCE, this::askStore);
            } catch (ClosedException e) {
                // The process ends; the read continues without a timer.
            }
            if (current.get() == null) {
                stopTimer(); // The read has already ended.
            }
        }
    }

    /** Asks the store directly, once, because a cache before it may hang. */
    private void askStore() {
        Read hanging = current.get();
        Read read = new Read();
        if (hanging != null && state.get() == State.READING && current.compareAndSet(hanging, read)) {
            takeMemory();
            read.start(this::askAfresh);
            hanging.abandon();
        }
    }

    private CompletionStage<BlobBytes> askAfresh() {
        return engine.store().get(blob, range.afresh());
    }

    /** Takes memory for a read of its own, if the fetch was to share a download. */
    private void takeMemory() {
        if (joined.isPresent() && budgeted == 0) {
            budgeted = range.length();
            engine.budget().acquire(budgeted);
        }
    }

    /**
     * Schedules a retry for a missing blob. Returns false if no retries are left, or the time
     * source is closed.
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
        takeMemory();
        Read next = new Read();
        current.set(next);
        try {
            engine.time().schedule(wait, () -> next.start(this::askAfresh));
        } catch (ClosedException e) {
            return !current.compareAndSet(next, null);
        }
        if (state.get() == State.ENDED) {
            next.abandon(); // The last user left before the next read was set.
        }
        return true;
    }

    private void stopTimer() {
        Time.Cancellable running = timer;
        if (running != null) {
            running.cancel();
        }
    }

    /** One attempt of the read. Only the current one counts; bytes of any other are released. */
    private final class Read {
        private final AtomicBoolean isBegun = new AtomicBoolean();
        private volatile @Nullable CompletionStage<BlobBytes> stage;

        /** Starts the attempt, unless it was abandoned before. */
        void start(Supplier<CompletionStage<BlobBytes>> request) {
            if (!isBegun.compareAndSet(false, true)) {
                return;
            }
            try {
                CompletionStage<BlobBytes> answer = request.get();
                stage = answer;
                var ignored = answer.whenComplete(this::ended);
            } catch (RuntimeException | Error e) {
                ended(null, e);
            }
            if (state.get() == State.ENDED) {
                abandon(); // The last user left before the stage was set.
            }
        }

        void abandon() {
            if (isBegun.compareAndSet(false, true)) {
                ended(null, null); // The retry had not started yet.
                return;
            }
            CompletionStage<BlobBytes> running = stage;
            if (running != null) {
                Abandonable.abandon(running);
            }
        }

        private void ended(@Nullable BlobBytes brought, @Nullable Throwable thrown) {
            if (current.compareAndSet(this, null)) {
                if (cause(thrown) instanceof BlobMissingException && state.get() == State.READING && askAgain()) {
                    return;
                }
                stopTimer();
                arrive(brought, thrown);
            } else if (brought != null) {
                brought.close();
            }
        }
    }

    /** Reports to the remaining users that the bytes or a failure have arrived. */
    void announce() {
        for (QueuedSegment<?> user : List.copyOf(users)) {
            user.arrived();
        }
    }

    /** The failure of the read, if any. Valid after the arrival. */
    @Nullable
    BlobShuffleException failure() {
        return failure;
    }

    /**
     * A view of a part of the bytes. Valid after an arrival without failure, until the user leaves.
     *
     * @param offset start of the part, bytes of the blob
     * @throws BlobCorruptException recoverable by a fresh read: the answer has not the requested
     *     length
     */
    ByteBuffer view(long offset, long length) {
        ByteBuffer all = bytes == null ? ByteBuffer.allocate(0) : bytes.buffer();
        if (all.remaining() != range.length()) {
            throw new BlobCorruptException("Cannot read blob " + blob + ": " + all.remaining() + " bytes came for the "
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
        if (brought instanceof SharedDownload.View) {
            giveBack(); // The download holds the memory.
        }
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
        return new DeliveryFailedException(
                "Cannot read blob " + blob + ": the client of " + engine.store().location()
                        + " failed unexpectedly. Start again; if it fails again, see the cause.",
                cause);
    }

    private void giveBack() {
        engine.budget().release(budgeted);
        engine.budget().releaseReserve(reserved);
        budgeted = 0;
        reserved = 0;
    }
}
