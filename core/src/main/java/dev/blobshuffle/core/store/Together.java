package dev.blobshuffle.core.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Several pieces of work whose results are wanted as one. It ends when all have ended, with the first failure if there was one. Owned by its caller. */
final class Together<T> {
    private final List<CompletableFuture<T>> parts = new ArrayList<>();

    void add(CompletionStage<T> part) {
        parts.add(part.toCompletableFuture());
    }

    /** All results, in the order in which the parts were added, as one. The failure is the part's own, not wrapped. */
    <R> CompletionStage<R> all(Function<List<T>, R> join) {
        CompletableFuture<R> all = new CompletableFuture<>();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>(0));
        parts.forEach(part -> part.whenComplete((value, failure) -> {
            if (failure != null) {
                failures.add(failure);
            }
        }));
        CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).whenComplete((nothing, failure) -> {
            if (failures.isEmpty()) {
                all.complete(
                        join.apply(parts.stream().map(CompletableFuture::join).toList()));
            } else {
                all.completeExceptionally(failures.get(0));
            }
        });
        return all;
    }
}
