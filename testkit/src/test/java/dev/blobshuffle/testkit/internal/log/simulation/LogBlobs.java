package dev.blobshuffle.testkit.internal.log.simulation;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobId;
import java.time.Duration;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The object store of a simulated world: which blobs it holds. Guarded by the baton. */
final class LogBlobs {
    private final LogWorld world;
    private final NavigableSet<BlobId> blobs = new TreeSet<>();

    LogBlobs(LogWorld world) {
        this.world = world;
    }

    /** Stores a blob, now or never or later than its client waits. */
    CompletionStage<Boolean> put(BlobId id) {
        if (world.strikes(LogFault.PUT_LATE, 10)) {
            world.time().schedule(span(Duration.ofMinutes(5)), () -> blobs.add(id));
            return answer(Duration.ofSeconds(3), LogBlobs::unavailable);
        }
        boolean fails = world.strikes(LogFault.PUT_FAILED, 6);
        boolean hasEffect = !fails || world.time().random(2) == 0;
        return answer(span(Duration.ofMillis(200)), () -> {
            if (hasEffect) {
                blobs.add(id);
            }
            return fails ? unavailable() : true;
        });
    }

    /** All blobs of a generation. */
    CompletionStage<List<BlobId>> list(long generation) {
        boolean fails = world.strikes(LogFault.SWEEP_REQUEST_FAILED, 8);
        return answer(
                span(Duration.ofMillis(50)),
                () -> fails
                        ? unavailable()
                        : blobs.stream()
                                .filter(blob -> blob.generation() == generation)
                                .toList());
    }

    /** All generations that have a blob. */
    CompletionStage<List<Long>> generations() {
        boolean fails = world.strikes(LogFault.SWEEP_REQUEST_FAILED, 8);
        return answer(
                span(Duration.ofMillis(50)),
                () -> fails
                        ? unavailable()
                        : blobs.stream().map(BlobId::generation).distinct().toList());
    }

    /** Deletes blobs. */
    CompletionStage<Boolean> delete(List<BlobId> doomed) {
        boolean fails = world.strikes(LogFault.SWEEP_REQUEST_FAILED, 6);
        boolean hasEffect = !fails || world.time().random(2) == 0;
        return answer(span(Duration.ofMillis(50)), () -> {
            if (hasEffect) {
                doomed.forEach(this::remove);
            }
            return fails ? unavailable() : true;
        });
    }

    private void remove(BlobId blob) {
        if (blobs.remove(blob) && world.database().refersTo(blob)) {
            world.ledger().violation("a batch refers to a deleted blob: " + blob);
        }
    }

    /** Whether the store holds a blob. */
    boolean holds(BlobId blob) {
        return blobs.contains(blob);
    }

    /** What the store holds. */
    List<BlobId> all() {
        return List.copyOf(blobs);
    }

    private Duration span(Duration most) {
        return Duration.ofNanos(1_000_000 + Long.remainderUnsigned(world.time().randomLong(), most.toNanos()));
    }

    private <T> CompletionStage<T> answer(Duration after, Supplier<T> effect) {
        CompletableFuture<T> result = new CompletableFuture<>();
        world.time().schedule(after, () -> {
            try {
                boolean ignored = result.complete(effect.get());
            } catch (StoreUnavailableException e) {
                boolean ignored = result.completeExceptionally(e);
            }
        });
        return result;
    }

    private static <T> T unavailable() {
        throw new StoreUnavailableException("Cannot reach the store: the simulation says so. Try again.");
    }
}
