package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.Time;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs blocking work on the threads of a store. Each task has a stage that always completes, even
 * if the store is closed first. For stores with a blocking client: the number of threads bounds the
 * requests in flight. Thread-safe.
 */
public final class StoreTasks implements AutoCloseable {
    private final Time.Workers workers;
    private final String location;
    private final Set<Task<?>> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    /**
     * Tasks on a pool of threads.
     *
     * @param workers the threads, closed with the tasks
     * @param location the store's location for messages, without credentials
     */
    public StoreTasks(Time.Workers workers, String location) {
        this.workers = workers;
        this.location = location;
    }

    /** Runs work on a thread of the store. */
    public <T> CompletionStage<T> run(String what, Supplier<T> work) {
        return run(what, work, () -> {});
    }

    /**
     * Runs work on a thread of the store.
     *
     * @param completes "Cannot …" in the failure of work that never starts
     * @param work may block; an exception fails the stage
     * @param atEnd runs once before the stage completes, in any case
     */
    public <T> CompletionStage<T> run(String what, Supplier<T> work, Runnable atEnd) {
        Task<T> task = new Task<>(what, work, atEnd);
        waiting.add(task);
        try {
            workers.execute(task);
        } catch (ClosedException e) {
            task.abandon();
        } catch (RuntimeException | Error e) {
            task.refuse(e);
        }
        return task.result;
    }

    /**
     * Lets running tasks end and fails the waiting ones with {@code ClosedException}, as well as
     * those that the close itself makes fail. Idempotent.
     */
    @Override
    public void close() {
        isClosed = true;
        workers.close();
        waiting.forEach(Task::abandon);
    }

    private final class Task<T> implements Runnable {
        private final String what;
        private final Supplier<T> work;
        private final Runnable atEnd;
        private final AtomicBoolean claimed = new AtomicBoolean();
        private final CompletableFuture<T> result = new CompletableFuture<>();

        Task(String what, Supplier<T> work, Runnable atEnd) {
            this.what = what;
            this.work = work;
            this.atEnd = atEnd;
        }

        @Override
        public void run() {
            if (!claim()) {
                return;
            }
            if (result.isDone()) {
                atEnd.run(); // Cancelled before it started.
                return;
            }
            T value;
            try {
                value = work.get();
            } catch (StoreUnavailableException e) {
                fail(isClosed ? closed(e) : e);
                return;
            } catch (BlobShuffleException e) {
                fail(e);
                return;
            } catch (OutOfMemoryError e) {
                fail(new StoreUnavailableException(
                        "Cannot " + what + ": the heap is full. Give the process more memory, or less buffers.", e));
                return;
            } catch (RuntimeException | Error e) {
                fail(e);
                return;
            }
            atEnd.run();
            result.complete(value);
        }

        void abandon() {
            if (claim()) {
                fail(closed(null));
            }
        }

        private ClosedException closed(@Nullable Throwable cause) {
            return new ClosedException(
                    "Cannot " + what + ": " + location + " is closed. Close the store after everything that uses it.",
                    cause);
        }

        /** Fails the task because no thread was available. */
        void refuse(Throwable cause) {
            if (claim()) {
                fail(new StoreUnavailableException(
                        "Cannot " + what + ": no thread is available (" + cause
                                + "). Allow the process more threads and memory.",
                        cause));
            }
        }

        private boolean claim() {
            waiting.remove(this);
            return claimed.compareAndSet(false, true);
        }

        private void fail(Throwable failure) {
            atEnd.run();
            result.completeExceptionally(failure);
        }
    }
}
