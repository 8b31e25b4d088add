package dev.blobshuffle.core.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
