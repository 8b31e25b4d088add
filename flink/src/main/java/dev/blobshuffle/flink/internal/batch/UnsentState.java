package dev.blobshuffle.flink.internal.batch;

import dev.blobshuffle.flink.internal.pending.PendingGroup;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The state of a Batcher at a barrier. Flink takes it at once, and writes it on a thread of the
 * checkpoint, which waits until it is known.
 *
 * @param groups the references; fail if they will never be known
 * @param form turns the references into the state
 */
public record UnsentState(CompletableFuture<List<PendingGroup>> groups, Form form) {
    /** The form in which a state holds references. */
    @FunctionalInterface
    public interface Form {
        /** The state of references. May wait for reads. */
        List<PendingGroup> of(List<PendingGroup> references) throws InterruptedException;
    }

    /** A state that is known, and holds its references. */
    static UnsentState known(List<PendingGroup> groups) {
        return new UnsentState(CompletableFuture.completedFuture(List.copyOf(groups)), references -> references);
    }

    /**
     * The state, when it is known.
     *
     * @throws ExecutionException recoverable: it will never be known, so the checkpoint fails
     */
    public List<PendingGroup> await() throws InterruptedException, ExecutionException {
        return form.of(groups.get());
    }
}
