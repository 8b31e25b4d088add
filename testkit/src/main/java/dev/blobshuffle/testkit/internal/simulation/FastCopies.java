package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.StoreHalves.Announcing;
import dev.blobshuffle.core.internal.store.opening.TwoSpeedBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.simulator.SimulatedProcess;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The fast store of a simulated world with two speeds. It may be lost for ever, with or without an
 * empty one in its place, and may acknowledge blobs that it then does not have. Guarded by the
 * simulation's baton.
 */
final class FastCopies {
    private final World world;
    private final SimulatedStore store;

    /** The blobs whose put it acknowledged. */
    private final Set<BlobId> acknowledged = new HashSet<>();

    /** The blobs that an operator has readers skip, because both stores have lost them. */
    private final Set<BlobId> skipped = new HashSet<>();

    private boolean isGone;

    private final Fleet fleet;

    /** The settings of the instances, which change one after the other. */
    enum Fleet {
        /** All announce blobs early. */
        EARLY,
        /** Some know the durable store only; the others announce durable blobs. */
        LEARNING,
        /** Some announce durable blobs, the others early ones. */
        SWITCHING,
        /** A mistake: some know the durable store only, and others announce early. */
        UNPREPARED
    }

    FastCopies(World world, Fleet fleet) {
        this.world = world;
        this.fleet = fleet;
        store = new SimulatedStore(world::strikes, world.time(), world.ledger(), world.log()::leadsTo);
    }

    /** Both stores as a process sees them. */
    BlobStore with(BlobStore durable, SimulatedProcess process) {
        boolean isChanged = fleet == Fleet.EARLY || world.time().random(2) == 0;
        if (!isChanged && fleet != Fleet.SWITCHING) {
            return new Earlier(durable);
        }
        Announcing announcing = isChanged && fleet != Fleet.LEARNING ? Announcing.EARLY : Announcing.DURABLE;
        BlobStore fast = world.seams().fastStore(new Client(store.client(process)));
        return new TwoSpeedBlobStore(new StoreHalves(fast, durable, announcing), process, new ShuffleMetrics(process));
    }

    /** The durable store of an instance that does not know the fast one. */
    private final class Earlier extends ForwardingBlobStore {
        Earlier(BlobStore durable) {
            super(durable);
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            return super.get(id, range).whenComplete((bytes, failure) -> {
                if (!world.store().hasKept(id) && failure != null) {
                    world.ledger().violation("an earlier instance reads blob " + id + ", which is not durable");
                }
            });
        }
    }

    /** Whether readers may know a blob: a store has acknowledged it. */
    boolean hasAcknowledged(Notification notification) {
        return acknowledged.contains(notification.blob());
    }

    /** The store, to look at its blobs. */
    SimulatedStore store() {
        return store;
    }

    /** Now and then loses the store for ever, or makes the durable one fail for longer. */
    void strike() {
        if (!isGone && world.strikes(Fault.FAST_GONE, 3)) {
            isGone = true;
            store.empty();
        } else if (world.strikes(Fault.FAST_EMPTIED, 3)) {
            store.empty();
        } else if (world.strikes(Fault.DURABLE_DOWN, 3)) {
            world.store().fail(Duration.ofMillis(500 + world.time().random(4000)));
        }
    }

    /** Skips lost blobs, as an operator does once no writer stores a lost blob any more. */
    void skipLost() {
        for (BlobId blob : world.log().blobs()) {
            boolean isLost = !world.store().hasKept(blob) && (isGone || !store.has(blob));
            if (isLost && skipped.add(blob)) {
                world.ledger().skipped();
            }
        }
    }

    boolean isSkipped(BlobId blob) {
        return skipped.contains(blob);
    }

    /** How many blobs readers skip so far. */
    int skips() {
        return skipped.size();
    }

    /** The blobs that no reader may request any more, as far as anyone can delete them. */
    List<BlobId> unneeded() {
        boolean isSwept = !isGone && fleet == Fleet.EARLY; // Earlier instances leave copies to later sweeps.
        return isSwept ? store.unneeded() : List.of();
    }

    private final class Client extends ForwardingBlobStore {
        Client(BlobStore store) {
            super(store);
        }

        private <T> CompletionStage<T> ifThere(Supplier<CompletionStage<T>> request) {
            return isGone
                    ? CompletableFuture.failedFuture(
                            new StoreUnavailableException("Cannot use the fast store: it is gone. Wait for ever."))
                    : request.get();
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            if (!isGone && world.strikes(Fault.FAST_FORGETS, 6)) {
                acknowledged.add(id);
                return CompletableFuture.completedFuture(null);
            }
            return ifThere(() -> super.put(id, content).thenRun(() -> acknowledged.add(id)));
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            return ifThere(() -> super.get(id, range));
        }

        @Override
        public CompletionStage<Long> length(BlobId id) {
            return ifThere(() -> super.length(id));
        }

        @Override
        public CompletionStage<Void> delete(Collection<BlobId> ids) {
            return ifThere(() -> super.delete(ids));
        }

        @Override
        public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
            return ifThere(() -> super.list(owner, generation));
        }

        @Override
        public CompletionStage<List<Long>> generations(int owner) {
            return ifThere(() -> super.generations(owner));
        }

        @Override
        public CompletionStage<List<Integer>> owners() {
            return ifThere(super::owners);
        }
    }
}
