package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.core.internal.retention.Horizon;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.flink.internal.retain.CheckpointHorizon;
import dev.blobshuffle.flink.internal.retain.CheckpointNeed;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.apache.flink.runtime.jobgraph.OperatorID;

/**
 * The checkpoints that Flink retains, and the blobs that they need. Each submission is an owner,
 * whose blobs are deleted as early as the horizon allows. Guarded by the simulation's baton.
 */
final class Retention {
    private final MemoryBlobStore store;
    private final LongSupplier clock;
    private final FlinkLedger ledger;
    private final boolean hasBatchers;
    private final int most;
    private final int reserve;
    private final Deque<TakenCheckpoint> retained = new ArrayDeque<>();

    /** Those of earlier submissions, which nothing deletes. */
    private final List<TakenCheckpoint> earlier = new ArrayList<>();

    private int owner;
    private CheckpointHorizon horizon;
    private IntSupplier senders = () -> 0;
    private IntSupplier receivers = () -> 0;

    /** Completed checkpoints in a row of which the horizon was notified. */
    private int noticed;

    Retention(MemoryBlobStore store, LongSupplier clock, FlinkLedger ledger, FlinkSchedule schedule) {
        this.store = store;
        this.clock = clock;
        this.ledger = ledger;
        hasBatchers = schedule.putsAfterBarrier();
        most = schedule.retained();
        reserve = schedule.clockMinutes();
        horizon = horizon();
    }

    private CheckpointHorizon horizon() {
        CheckpointHorizon made = new CheckpointHorizon(() -> most, reserve);
        made.expect(Attempt.DEBATCHER, () -> receivers.getAsInt());
        if (hasBatchers) {
            made.expect(Attempt.BATCHER, () -> senders.getAsInt());
        }
        noticed = 0;
        return made;
    }

    /** The parallelism of the running attempt. */
    void expect(IntSupplier ofSenders, IntSupplier ofReceivers) {
        senders = ofSenders;
        receivers = ofReceivers;
    }

    /** A store as the tasks of this submission use it. */
    BlobStore tasks(BlobStore below) {
        int now = owner;
        return new ForwardingBlobStore(below) {
            @Override
            public CompletionStage<Integer> owner() {
                return CompletableFuture.completedFuture(now);
            }
        };
    }

    /** The job is submitted: again, or for the first time. */
    void submitted() {
        earlier.addAll(retained);
        retained.clear();
        owner++;
        horizon = horizon();
    }

    /** The JobManager starts again. */
    void failedOver() {
        horizon = horizon();
    }

    /** The tasks start again. */
    void restarted() {
        horizon.reset();
    }

    void needs(OperatorID operator, int subtask, CheckpointNeed need) {
        horizon.needs(operator, subtask, need);
    }

    void aborted(long checkpoint) {
        horizon.aborted(checkpoint);
    }

    /** A savepoint is complete, which Flink reports as it does a checkpoint. */
    void saved(TakenCheckpoint savepoint) {
        horizon.completed(savepoint.id(), subtask -> false);
        if (!savepoint.blobs().isEmpty()) {
            ledger.violation("savepoint " + savepoint.id() + " needs blobs " + savepoint.blobs());
        }
    }

    /** A checkpoint is complete. */
    void completed(TakenCheckpoint checkpoint, boolean isNoticed) {
        retained.addLast(checkpoint);
        if (retained.size() > most) {
            retained.removeFirst();
        }
        noticed = isNoticed ? noticed + 1 : 0;
        if (isNoticed) {
            horizon.completed(checkpoint.id(), checkpoint::hasEnded);
        }
        sweep();
        requireAll();
        requireNoOlder();
    }

    /** Deletes what the horizon allows, now. */
    private void sweep() {
        Optional<Horizon.Limit> limit = horizon.at(Instant.ofEpochMilli(clock.getAsLong()));
        limit.ifPresent(below -> {
            List<BlobId> doomed = blobs(owner)
                    .filter(id -> id.generation() < below.generation())
                    .toList();
            if (!doomed.isEmpty()) {
                ledger.fault(FlinkFault.SWEPT);
            }
            store.delete(doomed).toCompletableFuture().join();
        });
    }

    private Stream<BlobId> blobs(int of) {
        return store.generations(of).toCompletableFuture().join().stream()
                .flatMap(generation -> store.list(of, generation).toCompletableFuture().join().stream())
                .map(StoredBlob::id);
    }

    /** Every checkpoint that can be restored has its blobs. */
    void requireAll() {
        Set<BlobId> present = new HashSet<>();
        store.owners().toCompletableFuture().join().forEach(each -> blobs(each).forEach(present::add));
        restorable()
                .forEach(checkpoint -> checkpoint.blobs().stream()
                        .filter(id -> !present.contains(id))
                        .forEach(id -> ledger.violation("checkpoint " + checkpoint.id() + " needs blob " + id
                                + ", which is not in the store")));
    }

    /** No blob is left that is older than all that the retained checkpoints need. */
    private void requireNoOlder() {
        boolean knowsAll =
                retained.size() == most && noticed >= most && retained.stream().noneMatch(TakenCheckpoint::isUnaligned);
        if (knowsAll) {
            long oldest = retained.stream()
                            .mapToLong(TakenCheckpoint::oldestGeneration)
                            .min()
                            .orElse(0)
                    - reserve;
            blobs(owner)
                    .filter(id -> id.generation() < oldest)
                    .forEach(id -> ledger.violation(
                            "blob " + id + " is left, but no checkpoint needs generations before " + oldest));
        }
    }

    /** What the next attempt restores by itself: the newest checkpoint, if there is one. */
    Optional<TakenCheckpoint> newest() {
        return Optional.ofNullable(retained.peekLast());
    }

    /** All checkpoints that a user may restore. */
    List<TakenCheckpoint> restorable() {
        return Stream.concat(earlier.stream(), retained.stream()).toList();
    }

    /** The user forgets earlier submissions that no retained checkpoint needs. */
    void forgetUnneeded() {
        for (int former = 1; former < owner && retained.size() == most; former++) {
            int forgotten = former;
            List<BlobId> doomed = blobs(forgotten).toList();
            if (!doomed.isEmpty() && retained.stream().noneMatch(each -> needs(each, forgotten))) {
                ledger.fault(FlinkFault.FORGOTTEN);
                store.delete(doomed).toCompletableFuture().join();
                earlier.removeIf(each -> needs(each, forgotten));
            }
        }
    }

    private static boolean needs(TakenCheckpoint checkpoint, int of) {
        return checkpoint.blobs().stream().anyMatch(id -> id.owner() == of);
    }

    /** The blobs of all submissions are gone, and with them their checkpoints. */
    void forget() {
        earlier.clear();
        retained.clear();
        store.owners()
                .toCompletableFuture()
                .join()
                .forEach(each ->
                        store.delete(blobs(each).toList()).toCompletableFuture().join());
    }
}
