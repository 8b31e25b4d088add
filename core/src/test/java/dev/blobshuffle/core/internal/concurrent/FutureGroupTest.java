package dev.blobshuffle.core.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class FutureGroupTest {
    private final FutureGroup<Integer> group = new FutureGroup<>();
    private final CompletableFuture<Integer> first = new CompletableFuture<>();
    private final CompletableFuture<Integer> last = new CompletableFuture<>();

    private CompletableFuture<List<Integer>> all(Function<List<Integer>, List<Integer>> join) {
        group.add(first);
        group.add(last);
        return group.all(join).toCompletableFuture();
    }

    @Test
    void resultsComeInTheOrderOfTheParts() {
        CompletableFuture<List<Integer>> all = all(Function.identity());
        last.complete(2);
        assertThat(all).isNotDone();
        first.complete(1);
        assertThat(all).isCompletedWithValue(List.of(1, 2));
    }

    /** A part that fails last also fails the combined future, because a caller waits for it. */
    @Test
    void partThatFailsLaterFailsTheWhole() {
        CompletableFuture<List<Integer>> all = all(Function.identity());
        StoreUnavailableException failure = new StoreUnavailableException("down");
        first.complete(1);
        last.completeExceptionally(failure);
        assertThat(all).isCompletedExceptionally();
        assertThat(all.handle((value, cause) -> cause)).isCompletedWithValue(failure);
    }

    @Test
    void wholeEndsWhenAllPartsHaveEnded() {
        CompletableFuture<List<Integer>> all = all(Function.identity());
        first.completeExceptionally(new StoreUnavailableException("down"));
        assertThat(all).isNotDone();
        last.complete(2);
        assertThat(all).isCompletedExceptionally();
    }

    @Test
    void resultsThatCannotBeJoinedFailTheWhole() {
        IllegalStateException failure = new IllegalStateException("cannot join");
        CompletableFuture<List<Integer>> all = all(parts -> {
            throw failure;
        });
        first.complete(1);
        last.complete(2);
        assertThat(all.handle((value, cause) -> cause)).isCompletedWithValue(failure);
    }
}
