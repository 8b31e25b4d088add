package dev.blobshuffle.core.cache;

import dev.blobshuffle.core.failure.BlobCorrupt;
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
 * One part on its way into the cache in memory, and those who wait for ranges of it. The part becomes an entry before the load is forgotten, so whoever comes
 * between finds one of them and the store is asked once. A failure goes to all who wait. When the last of them gives up, so does the load. Thread-safe.
 */
final class MemoryLoad {
    private final CachedPart part;
    private final LeasedEntries<BlobBytes> entries;
    private final ConcurrentMap<CachedPart, MemoryLoad> loads;
    private final UnaryOperator<BlobBytes> keeping;

    /** Guarded by this, as what follows. */
    private final List<Seat> waiting = new ArrayList<>(1);

    /** Nobody joins any more. */
    private boolean hasLanded;

    private @Nullable CompletionStage<BlobBytes> download;

    /** @param keeping turns what came into what is kept, of the same length; does not throw */
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
            super.abandon(); // A request of its own, where the cache had no room.
            leave(this);
        }
    }

    CachedPart part() {
        return part;
    }

    /** The first place in the load. */
    synchronized CompletableFuture<BlobBytes> begin(BlobRange range) {
        Seat seat = new Seat(range);
        waiting.add(seat);
        return seat;
    }

    /** A place in the load; null if it has landed. */
    synchronized @Nullable CompletableFuture<BlobBytes> join(BlobRange range) {
        return hasLanded ? null : begin(range);
    }

    /** Takes a caller out who has given up. The last one stays to the end of the download, which is given up with him; then nobody joins either. */
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

    /** Asks the store for the part, for which room is reserved. */
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
                fail(new BlobCorrupt("Cannot read blob " + part.blob() + ": " + came + " bytes came for the "
                        + part.length() + " asked for at offset " + part.offset() + " of " + store.location()
                        + ". Check the network and the proxies before the store."));
            }
        });
    }

    /** Gives each who waits the range of an entry. Takes the lease over. */
    void land(LeasedEntries<BlobBytes>.Lease lease) {
        for (Seat seat : end()) {
            seat.end(LeasedBytes.of(lease.share(), seat.range), null);
        }
        lease.close();
    }

    /** Asks the store for each range by itself: the cache has no room. */
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

    /** Ends the load: whoever comes now starts anew, and finds the entry if there is one. */
    private List<Seat> end() {
        List<Seat> served = takeWaiting();
        loads.remove(part, this);
        return served;
    }

    /** A store of the user's own may break its contract and throw: that must not leave those who wait for ever. */
    private CompletionStage<BlobBytes> start(BlobStore store, BlobRange range) {
        try {
            return store.get(part.blob(), range);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
