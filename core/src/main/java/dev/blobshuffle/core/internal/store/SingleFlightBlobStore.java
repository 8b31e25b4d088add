package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Lets concurrent reads of the same range share one download. The partitions of a section, and the
 * members of an instance, request the same bytes at about the same time. Each caller has its own
 * view and closes it; the last close releases the bytes. A failed download fails all its waiting
 * callers and is forgotten. If all callers abandon their reads ({@link Abandonable}), the download
 * is abandoned and forgotten too. Thread-safe.
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
            Flight own = new Flight(key);
            Flight flight = flights.putIfAbsent(key, own);
            if (flight == null) {
                Seat seat = own.lead();
                start(own);
                return seat;
            }
            Seat seat = flight.join();
            if (seat != null) {
                return seat;
            }
            // The flight has just ended, and its bytes may be released, so start another one.
            flights.remove(key, flight);
        }
    }

    private void start(Flight flight) {
        try {
            CompletionStage<BlobBytes> download = store().get(flight.key.id(), flight.key.range());
            var ignored = download.whenComplete((bytes, failure) -> {
                flights.remove(flight.key, flight);
                flight.land(bytes, failure);
            });
            flight.takeOff(download);
        } catch (RuntimeException | Error e) {
            flights.remove(flight.key, flight);
            flight.land(null, e);
        }
    }

    /** One caller's place in a flight. */
    private final class Seat extends CompletableFuture<BlobBytes> implements Abandonable {
        private final Flight flight;

        Seat(Flight flight) {
            this.flight = flight;
        }

        @Override
        public void abandon() {
            CompletionStage<BlobBytes> unwanted = flight.leave(this);
            if (unwanted != null) {
                flights.remove(flight.key, flight);
                Abandonable.abandon(unwanted);
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            abandon();
            return super.cancel(mayInterruptIfRunning);
        }

        void end() {
            boolean ignored = super.cancel(false);
        }
    }

    /** One download and its waiting callers. Guarded by itself until the download ends. */
    private final class Flight {
        private final Key key;
        private final List<Seat> waiting = new ArrayList<>(1);
        private boolean landed;
        private @Nullable CompletionStage<BlobBytes> download;

        /** The last caller to abandon its read; its stage ends with the download. */
        private @Nullable Seat last;

        Flight(Key key) {
            this.key = key;
        }

        synchronized Seat lead() {
            Seat seat = new Seat(this);
            waiting.add(seat);
            return seat;
        }

        /** A place in the flight; null if the flight has ended or all callers have abandoned it. */
        synchronized @Nullable Seat join() {
            return landed ? null : lead();
        }

        /** Removes a caller. Returns the download if no caller is left; then no caller can join. */
        @Nullable
        CompletionStage<BlobBytes> leave(Seat seat) {
            synchronized (this) {
                if (landed || !waiting.remove(seat)) {
                    return null;
                }
                if (waiting.isEmpty()) {
                    landed = true;
                    last = seat;
                    return download;
                }
            }
            seat.end();
            return null;
        }

        /** Stores the download, so that it can be abandoned when no caller is left. */
        void takeOff(CompletionStage<BlobBytes> stage) {
            synchronized (this) {
                if (last == null) {
                    download = stage;
                    return;
                }
            }
            flights.remove(key, this);
            Abandonable.abandon(stage);
        }

        void land(@Nullable BlobBytes bytes, @Nullable Throwable failure) {
            Seat gaveUp;
            synchronized (this) {
                landed = true;
                gaveUp = last;
            }
            if (bytes == null) {
                Throwable cause = failure instanceof CompletionException wrapped && wrapped.getCause() != null
                        ? wrapped.getCause()
                        : failure;
                waiting.forEach(result -> result.completeExceptionally(cause));
            } else if (waiting.isEmpty()) {
                bytes.close();
            } else {
                share(bytes);
            }
            if (gaveUp != null) {
                gaveUp.end();
            }
        }

        private void share(BlobBytes bytes) {
            SharedBytes shared = new SharedBytes(bytes, waiting.size());
            for (Seat seat : waiting) {
                BlobBytes view = shared.view();
                if (!seat.complete(view)) {
                    view.close(); // Cancelled by its caller.
                }
            }
        }
    }
}
