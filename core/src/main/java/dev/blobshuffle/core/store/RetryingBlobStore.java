package dev.blobshuffle.core.store;

import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.metrics.Counter;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A store that tries again while the one below is unavailable, with pauses that double and are random, until the policy's total is spent. Other failures
 * pass at once. An attempt that gives no answer in time counts as failed and its late answer is ignored; a content is held from the first attempt to the end of
 * the operation, and by each attempt for itself, so its buffers are not recycled under a late one. Thread-safe; nothing blocks.
 */
public final class RetryingBlobStore extends ForwardingBlobStore {
    private static final Runnable NOTHING = () -> {};

    private final RetryPolicy policy;
    private final Time time;
    private final ShuffleMetrics metrics;
    private final Set<Operation<?>> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Retries the operations of a store. */
    public RetryingBlobStore(BlobStore store, RetryPolicy policy, Time time, ShuffleMetrics metrics) {
        super(store);
        this.policy = policy;
        this.time = time;
        this.metrics = metrics;
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        content.retain();
        return run("store blob " + id, () -> store().put(id, content), nothing -> {}, content::release);
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return run("read blob " + id, () -> store().get(id, range), BlobBytes::close, NOTHING);
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        return run("delete " + ids.size() + " blobs", () -> store().delete(ids), nothing -> {}, NOTHING);
    }

    @Override
    public CompletionStage<List<BlobId>> list(long generation) {
        return run("list generation " + generation, () -> store().list(generation), ids -> {}, NOTHING);
    }

    @Override
    public CompletionStage<List<Long>> generations() {
        return run("list generations", () -> store().generations(), generations -> {}, NOTHING);
    }

    /** Fails what is pending with {@code Closed} and closes the store below. Idempotent. */
    @Override
    public void close() {
        closed = true;
        pending.forEach(Operation::close);
        super.close();
    }

    private <T> CompletionStage<T> run(
            String what, Supplier<CompletionStage<T>> attempt, Consumer<T> unwanted, Runnable atEnd) {
        Operation<T> operation = new Operation<>(what, attempt, unwanted, atEnd);
        pending.add(operation);
        if (closed) {
            operation.close();
        } else {
            operation.attempt();
        }
        return operation.result;
    }

    /** One call with all its attempts. Thread-safe: whoever ends it first decides. */
    private final class Operation<T> {
        private final String what;
        private final Supplier<CompletionStage<T>> action;
        private final Consumer<T> unwanted;
        private final Runnable atEnd;
        private final long begin = time.nanos();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final CompletableFuture<T> result = new CompletableFuture<>();

        /** Attempts started. One attempt follows the other, so one thread at a time touches it, each after the other. */
        private int attempts;

        Operation(String what, Supplier<CompletionStage<T>> action, Consumer<T> unwanted, Runnable atEnd) {
            this.what = what;
            this.action = action;
            this.unwanted = unwanted;
            this.atEnd = atEnd;
        }

        void attempt() {
            if (ended.get()) {
                return;
            }
            attempts++;
            AtomicBoolean answered = new AtomicBoolean();
            Duration limit = Duration.ofNanos(Math.min(policy.attemptTimeout().toNanos(), Math.max(1, left())));
            Time.Cancellable timeout = time.schedule(limit, () -> {
                if (answered.compareAndSet(false, true)) {
                    failed(new StoreUnavailable("Cannot " + what + ": no answer from " + location() + " within "
                            + limit.toMillis() + " ms. Check the store and the way to it."));
                }
            });
            start(action).whenComplete((value, failure) -> {
                if (!answered.compareAndSet(false, true)) {
                    discard(value);
                    return;
                }
                timeout.cancel();
                if (failure == null) {
                    succeeded(value);
                } else {
                    failed(
                            failure instanceof CompletionException && failure.getCause() != null
                                    ? failure.getCause()
                                    : failure);
                }
            });
        }

        /** A decorator of the user's own may break its contract and throw: that must not leave the caller waiting for ever. */
        private CompletionStage<T> start(Supplier<CompletionStage<T>> action) {
            try {
                return action.get();
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private long left() {
            return policy.total().toNanos() - (time.nanos() - begin);
        }

        private void succeeded(T value) {
            if (end()) {
                if (!result.complete(value)) {
                    discard(value); // Cancelled by its caller.
                }
            } else {
                discard(value);
            }
        }

        private void failed(Throwable failure) {
            if (!(failure instanceof StoreUnavailable)) {
                fail(failure);
                return;
            }
            Duration pause = policy.pause(attempts, time.randomLong());
            if (pause.toNanos() >= left()) {
                fail(new StoreUnavailable(
                        "Cannot " + what + ": " + location() + " was unavailable for "
                                + policy.total().toMillis() + " ms, in " + attempts + " attempts. Last failure: "
                                + failure.getMessage(),
                        failure));
                return;
            }
            metrics.add(Counter.STORE_RETRIES, 1);
            time.schedule(pause, this::attempt);
        }

        void close() {
            fail(new Closed("Cannot " + what + ": " + location()
                    + " was closed. Close the store after everything that uses it."));
        }

        private void fail(Throwable failure) {
            if (end()) {
                result.completeExceptionally(failure);
            }
        }

        /** Ends the operation once, and gives back what it holds before its caller hears of the end. */
        private boolean end() {
            if (!ended.compareAndSet(false, true)) {
                return false;
            }
            pending.remove(this);
            atEnd.run();
            return true;
        }

        @SuppressWarnings("ConstantValue") // A stage gives null beside a failure, and for Void.
        private void discard(T value) {
            if (value != null) {
                unwanted.accept(value);
            }
        }
    }
}
