package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The load of one part into the cache in memory, and the callers that wait for ranges of it. The
 * part becomes an entry before its load is removed, so a new caller finds one of the two, and the
 * store is asked once. A failure fails all waiting callers. If the last caller abandons its read,
 * the load is abandoned too. Thread-safe.
 */
final class MemoryLoad {
    private final CachedPart part;
    private final LeasedEntries<BlobBytes> entries;
    private final ConcurrentMap<CachedPart, MemoryLoad> loads;
    private final UnaryOperator<BlobBytes> keeping;

    /** Guarded by this, as are the fields below. */
    private final List<Seat> waiting = new ArrayList<>(1);

    /** Set when no caller can join any more. */
    private boolean hasLanded;

    private @Nullable CompletionStage<BlobBytes> download;

    /** @param keeping converts loaded bytes into kept bytes of the same length; does not throw */
    MemoryLoad(
            CachedPart part,
            LeasedEntries<BlobBytes> entries,
            ConcurrentMap<CachedPart, MemoryLoad> loads,
            UnaryOperator<BlobBytes> keeping) {
        this.keeping = keeping;
        this.part = part;
        this.entries = entries;
        this.loads = loads;
    }

    /** One caller's place in the load. */
    private final class Seat extends RelayedRead {
        private final BlobRange range;

        Seat(BlobRange range) {
            this.range = range;
        }

        @Override
        public void abandon() {
            super.abandon(); // Abandons the separate request of a caller for which the cache had no room.
            leave(this);
        }
    }

    CachedPart part() {
        return part;
    }

    /** The first caller's place in the load. */
    synchronized CompletableFuture<BlobBytes> begin(BlobRange range) {
        Seat seat = new Seat(range);
        waiting.add(seat);
        return seat;
    }

    /** A place in the load; null if the load has ended. */
    synchronized @Nullable CompletableFuture<BlobBytes> join(BlobRange range) {
        return hasLanded ? null : begin(range);
    }

    /**
     * Removes a caller that has abandoned its read. For the last caller, the download is abandoned
     * too, and no caller can join.
     */
    private void leave(Seat seat) {
        CompletionStage<BlobBytes> unwanted;
        synchronized (this) {
            if (hasLanded || !waiting.contains(seat)) {
                return;
            }
            if (waiting.size() == 1) {
                hasLanded = true;
                unwanted = download;
            } else {
                waiting.remove(seat);
                unwanted = null;
            }
        }
        if (unwanted == null) {
            boolean ignored = seat.cancel(false);
        } else {
            loads.remove(part, this);
            Abandonable.abandon(unwanted);
        }
    }

    /** Requests the part from the store. Room for it is reserved. */
    void ask(BlobStore store, BlobRange unit) {
        CompletionStage<BlobBytes> asked = start(store, unit);
        synchronized (this) {
            download = asked;
        }
        var ignored = asked.whenComplete((bytes, failure) -> {
            if (bytes != null && bytes.buffer().remaining() == part.length()) {
                land(entries.insert(part, keeping.apply(bytes), part.length()));
                return;
            }
            entries.giveBack(part.length());
            if (bytes == null) {
                fail(failure);
            } else {
                int came = bytes.buffer().remaining();
                bytes.close();
                fail(new BlobCorruptException("Cannot read blob " + part.blob() + ": " + came + " bytes came for the "
                        + part.length() + " asked for at offset " + part.offset() + " of " + store.location()
                        + ". Check the network and the proxies before the store."));
            }
        });
    }

    /** Gives each waiting caller its range of an entry. Takes ownership of the lease. */
    void land(LeasedEntries<BlobBytes>.Lease lease) {
        for (Seat seat : end()) {
            seat.end(LeasedBytes.of(lease.share(), seat.range), null);
        }
        lease.close();
    }

    /** Requests each range separately from the store, because the cache has no room. */
    void passOn(BlobStore store) {
        for (Seat seat : end()) {
            seat.take(() -> store.get(part.blob(), seat.range), seat::end);
        }
    }

    private void fail(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        for (Seat seat : end()) {
            seat.end(null, cause);
        }
    }

    private synchronized List<Seat> takeWaiting() {
        hasLanded = true;
        return waiting;
    }

    /**
     * Ends the load. Later callers look for the entry again and start a new load if there is none.
     */
    private List<Seat> end() {
        List<Seat> served = takeWaiting();
        loads.remove(part, this);
        return served;
    }

    /**
     * Turns an exception of the store into a failed stage. A custom store may break its contract
     * and throw, and the stages of waiting callers must still complete.
     */
    private CompletionStage<BlobBytes> start(BlobStore store, BlobRange range) {
        try {
            return store.get(part.blob(), range);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
