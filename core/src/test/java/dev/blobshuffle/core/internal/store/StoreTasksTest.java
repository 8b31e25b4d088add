package dev.blobshuffle.core.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.Time;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StoreTasksTest {
    /** Workers of a machine without free threads; the task may already have been queued. */
    private static final class Exhausted implements Time.Workers {
        private final CompletableFuture<Runnable> queued = new CompletableFuture<>();

        @Override
        public void execute(Runnable task) {
            queued.complete(task);
            throw new OutOfMemoryError("unable to create native thread");
        }

        @Override
        public void close() {}
    }

    /** Such as a write that finds the temporary files of its store removed. */
    @Test
    void workThatFailsBecauseItsStoreWasClosedMeanwhileSaysSo() {
        CompletableFuture<Runnable> begun = new CompletableFuture<>();
        Time.Workers later = new Time.Workers() {
            @Override
            public void execute(Runnable task) {
                begun.complete(task);
            }

            @Override
            public void close() {}
        };
        StoreTasks tasks = new StoreTasks(later, "file:///blobs");
        CompletableFuture<String> result = tasks.<String>run("store blob 1", () -> {
                    tasks.close();
                    throw new StoreUnavailableException("Cannot store blob 1: the staging area is closed.");
                })
                .toCompletableFuture();
        begun.join().run();
        assertThatThrownBy(result::join)
                .hasCauseInstanceOf(ClosedException.class)
                .hasMessageContaining("file:///blobs is closed");
    }

    @Test
    void workThatGetsNoThreadFailsAndGivesBackWhatItHolds() {
        AtomicInteger ended = new AtomicInteger();
        Exhausted workers = new Exhausted();
        try (StoreTasks tasks = new StoreTasks(workers, "s3://bucket/")) {
            CompletableFuture<String> result = tasks.run("store blob 1", () -> "done", ended::incrementAndGet)
                    .toCompletableFuture();
            assertThatThrownBy(result::join)
                    .hasCauseInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("no thread");
            workers.queued.join().run();
        }
        assertThat(ended).hasValue(1);
    }
}
