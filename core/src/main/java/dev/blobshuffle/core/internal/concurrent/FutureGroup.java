package dev.blobshuffle.core.internal.concurrent;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Combines futures into one. The combined future ends when all parts have ended; if parts failed,
 * with the failure of the first one. Owned by its caller.
 */
public final class FutureGroup<T> {
    private final List<CompletableFuture<T>> parts = new ArrayList<>();

    public void add(CompletionStage<T> part) {
        parts.add(part.toCompletableFuture());
    }

    /**
     * Combines all results, in the order in which the parts were added. A failure is the part's
     * own, not wrapped.
     */
    public <R> CompletionStage<R> all(Function<List<T>, R> join) {
        CompletableFuture<R> all = new CompletableFuture<>();
        CompletionStage<Void> ignored = CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
                .whenComplete((nothing, failure) -> {
                    try {
                        all.complete(join.apply(
                                parts.stream().map(CompletableFuture::join).toList()));
                    } catch (CompletionException e) {
                        all.completeExceptionally(e.getCause() == null ? e : e.getCause());
                    } catch (RuntimeException | Error e) { // No caller waits for ever.
                        all.completeExceptionally(e);
                    }
                });
        return all;
    }
}
