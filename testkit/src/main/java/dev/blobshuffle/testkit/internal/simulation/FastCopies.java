package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.TwoSpeedBlobStore;
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

    FastCopies(World world) {
        this.world = world;
        store = new SimulatedStore(world::strikes, world.time(), world.ledger(), world.log()::leadsTo);
    }

    /** Both stores as a process sees them. */
    BlobStore with(BlobStore durable, SimulatedProcess process) {
        BlobStore fast = world.seams().fastStore(new Client(store.client(process)));
        return new TwoSpeedBlobStore(new StoreHalves(fast, durable), process, new ShuffleMetrics(process));
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

    /** What an operator does once no writer stores a lost blob any more. */
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
        return isGone ? List.of() : store.unneeded();
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
