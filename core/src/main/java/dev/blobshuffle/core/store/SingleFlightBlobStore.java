package dev.blobshuffle.core.store;

import dev.blobshuffle.core.format.BlobId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * A store from which concurrent reads of the same range share one download: partitions of a section, and the members of an instance, ask for the same bytes
 * at about the same time. Each caller has its own view and closes it; the bytes go back with the last one. A failed download fails all who wait for it, and is
 * forgotten; so is one that all who wait for it have given up, by cancelling their future. Thread-safe.
 */
public final class SingleFlightBlobStore extends ForwardingBlobStore {
    private record Key(BlobId id, BlobRange range) {}

    private final ConcurrentMap<Key, Flight> flights = new ConcurrentHashMap<>();

    /** Shares the downloads from a store. */
    public SingleFlightBlobStore(BlobStore store) {
        super(store);
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        Key key = new Key(id, range);
        while (true) {
            Flight own = new Flight();
            Flight flight = flights.putIfAbsent(key, own);
            if (flight == null) {
                CompletableFuture<BlobBytes> result = own.lead();
                start(key, own);
                return forgetWhenGivenUp(result, key, own);
            }
            CompletableFuture<BlobBytes> result = flight.join();
            if (result != null) {
                return forgetWhenGivenUp(result, key, flight);
            }
            flights.remove(key, flight); // It has just landed: its bytes may be gone, so start anew.
        }
    }

    private void start(Key key, Flight flight) {
        try {
            store().get(key.id(), key.range()).whenComplete((bytes, failure) -> {
                flights.remove(key, flight);
                flight.land(bytes, failure);
            });
        } catch (RuntimeException | Error e) {
            flights.remove(key, flight);
            flight.land(null, e);
        }
    }

    private CompletableFuture<BlobBytes> forgetWhenGivenUp(
            CompletableFuture<BlobBytes> result, Key key, Flight flight) {
        var ignored = result.whenComplete((bytes, failure) -> {
            if (result.isCancelled() && flight.leave(result)) {
                flights.remove(key, flight);
            }
        });
        return result;
    }

    /** One download and those who wait for it. Guarded by itself until it lands. */
    private static final class Flight {
        private final List<CompletableFuture<BlobBytes>> waiting = new ArrayList<>(1);
        private boolean landed;

        synchronized CompletableFuture<BlobBytes> lead() {
            CompletableFuture<BlobBytes> result = new CompletableFuture<>();
            waiting.add(result);
            return result;
        }

        /** A place in the flight; null if it has landed. */
        synchronized @Nullable CompletableFuture<BlobBytes> join() {
            return landed ? null : lead();
        }

        /** Gives a place up. @return whether nobody waits any more: then nobody joins either */
        synchronized boolean leave(CompletableFuture<BlobBytes> result) {
            if (landed || !waiting.remove(result)) {
                return false;
            }
            landed = waiting.isEmpty();
            return landed;
        }

        void land(@Nullable BlobBytes bytes, @Nullable Throwable failure) {
            synchronized (this) {
                landed = true;
            }
            if (bytes == null) {
                Throwable cause = failure instanceof CompletionException wrapped && wrapped.getCause() != null
                        ? wrapped.getCause()
                        : failure;
                waiting.forEach(result -> result.completeExceptionally(cause));
                return;
            }
            if (waiting.isEmpty()) {
                bytes.close();
                return;
            }
            SharedBytes shared = new SharedBytes(bytes, waiting.size());
            for (CompletableFuture<BlobBytes> result : waiting) {
                BlobBytes view = shared.view();
                if (!result.complete(view)) {
                    view.close(); // Cancelled by its caller.
                }
            }
        }
    }
}
