package dev.blobshuffle.core.internal.write;

import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A store whose puts end when and how the test decides. Thread-safe. */
final class HeldBlobStore extends ForwardingBlobStore {
    /** A put that has not ended. */
    final class Put {
        final BlobId id;
        final BlobContent content;
        private final CompletableFuture<Void> stage = new CompletableFuture<>();
        private boolean ended;

        private Put(BlobId id, BlobContent content) {
            this.id = id;
            this.content = content;
            content.retain();
        }

        void succeed() {
            store().put(id, content).toCompletableFuture().join();
            end(null);
        }

        void fail(Throwable failure) {
            end(failure);
        }

        /**
         * Waits until the engine has registered its callback, so that the effects of the put's end
         * are complete when the test continues.
         */
        private void awaitEngine() {
            await("a listener of the put")
                    .pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> stage.getNumberOfDependents() > 0);
        }

        private void end(@Nullable Throwable failure) {
            lock.lock();
            try {
                if (ended) {
                    return;
                }
                ended = true;
            } finally {
                lock.unlock();
            }
            content.release();
            awaitEngine();
            if (failure == null) {
                stage.complete(null);
            } else {
                stage.completeExceptionally(failure);
            }
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition came = lock.newCondition();
    private final List<Put> puts = new ArrayList<>();
    private boolean holds = true;

    HeldBlobStore(BlobStore store) {
        super(store);
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        lock.lock();
        try {
            if (holds) {
                Put put = new Put(id, content);
                puts.add(put);
                came.signalAll();
                return put.stage;
            }
        } finally {
            lock.unlock();
        }
        return store().put(id, content);
    }

    /** The put of an index, from 0. Waits until it has arrived. */
    Put put(int index) throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.SECONDS.toNanos(60);
            while (puts.size() <= index) {
                if (left <= 0) {
                    throw new AssertionError("only " + puts.size() + " puts came");
                }
                left = came.awaitNanos(left);
            }
            return puts.get(index);
        } finally {
            lock.unlock();
        }
    }

    int puts() {
        lock.lock();
        try {
            return puts.size();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all held puts, and holds no more. */
    void letGo() {
        List<Put> open;
        lock.lock();
        try {
            holds = false;
            open = List.copyOf(puts);
        } finally {
            lock.unlock();
        }
        open.stream().filter(put -> !put.ended).forEach(Put::succeed);
    }
}
