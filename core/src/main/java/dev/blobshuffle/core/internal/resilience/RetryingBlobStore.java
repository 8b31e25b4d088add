package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Retries operations while the store below is unavailable. The pauses are random, their bound
 * doubles, and the policy's total time limits them. Other failures pass through at once.
 *
 * <p>A budget bounds the retries, so that they do not overload a struggling store: a tenth of the
 * first attempts of their kind, plus a few at the start and five per second. An operation without a
 * token keeps waiting. A request that was never sent costs no token.
 *
 * <p>An operation holds the content of a put from its first attempt to its end. Each attempt holds
 * it as well, so that buffers are not recycled under a late attempt. The answer of an attempt that
 * timed out still counts if it arrives before the operation ends, because an id always stands for
 * the same bytes. Callers can abandon the stages ({@link Abandonable}). Thread-safe; nothing
 * blocks.
 */
public final class RetryingBlobStore extends InterceptingBlobStore {
    private static final double BUDGET_SHARE = 0.1;
    private static final double BUDGET_PER_SECOND = 5;
    private static final double BUDGET_MOST = 20;

    /**
     * Upper bound of the pause after a request that was not sent. It is short because the request
     * put no load on the store.
     */
    private static final long NOT_SENT_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final StoreRetryPolicy gets;
    private final StoreRetryPolicy others;
    private final Time time;
    private final ShuffleMetrics metrics;
    private final Map<Kind, TokenBucket> budgets = new EnumMap<>(Kind.class);
    private final Set<Operation<?>> pending = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Retries all operations of a store by the same policy. */
    public RetryingBlobStore(BlobStore store, StoreRetryPolicy policy, Time time, ShuffleMetrics metrics) {
        this(store, policy, policy, time, metrics);
    }

    /**
     * Retries the operations of a store.
     *
     * @param gets the policy for reads
     * @param others the policy for all other operations
     */
    public RetryingBlobStore(
            BlobStore store, StoreRetryPolicy gets, StoreRetryPolicy others, Time time, ShuffleMetrics metrics) {
        super(store);
        this.gets = gets;
        this.others = others;
        this.time = time;
        this.metrics = metrics;
        for (Kind kind : Kind.values()) {
            budgets.put(kind, new TokenBucket(BUDGET_SHARE, BUDGET_PER_SECOND, BUDGET_MOST, BUDGET_MOST, time));
        }
    }

    /**
     * Fails pending operations with {@code ClosedException} and closes the store below. Idempotent.
     */
    @Override
    public void close() {
        closed = true;
        pending.forEach(Operation::close);
        super.close();
    }

    @Override
    <T> CompletionStage<T> run(StoreCall<T> call) {
        TokenBucket budget = budgets.get(call.kind());
        if (budget == null) {
            throw new IllegalStateException("Cannot run a request: its kind " + call.kind() + " has no budget.");
        }
        Operation<T> operation = new Operation<>(call, call.kind() == Kind.GET ? gets : others, budget);
        pending.add(operation);
        if (closed) {
            operation.close();
        } else {
            operation.start();
        }
        return operation.result;
    }

    /**
     * One call with all its attempts. Attempts follow one another, so one thread at a time uses the
     * fields that only they touch. Any thread may end the operation.
     */
    private final class Operation<T> {
        private final StoreCall<T> call;
        private final StoreRetryPolicy policy;
        private final TokenBucket budget;
        private final Result result = new Result();
        private boolean hasToken;

        /** Guarded by this, as are the fields below. */
        private boolean ended;

        private int attempts;

        private boolean isUnwanted;
        private boolean isSending;
        private Time.@Nullable Cancellable timer;

        /** The attempt in flight, if any. */
        private @Nullable CompletionStage<T> current;

        private @Nullable Throwable lastFailure;

        Operation(StoreCall<T> call, StoreRetryPolicy policy, TokenBucket budget) {
            this.call = call;
            this.policy = policy;
            this.budget = budget;
            call.content().retain();
        }

        /** The stage of the operation. */
        private final class Result extends CompletableFuture<T> implements Abandonable {
            @Override
            public void abandon() {
                CompletionStage<T> running;
                synchronized (Operation.this) {
                    isUnwanted = true;
                    running = current;
                    if (running == null && isSending) {
                        return; // The sending thread checks again.
                    }
                }
                if (running == null) {
                    endUnwanted();
                } else {
                    Abandonable.abandon(running);
                }
            }
        }

        private void endUnwanted() {
            if (end()) {
                boolean ignored = result.cancel(false);
            }
        }

        void start() {
            budget.request();
            if (!policy.isForever()) {
                try {
                    Time.Cancellable deadline = time.schedule(policy.total(), this::outOfTime);
                    synchronized (this) {
                        timer = deadline;
                    }
                } catch (ClosedException e) {
                    fail(e);
                    return;
                }
            }
            attempt();
        }

        private void attempt() {
            synchronized (this) {
                if (ended) {
                    return;
                }
                call.content().retain(); // The operation may end while it is being sent.
                attempts++;
                isSending = true;
            }
            try {
                CompletionStage<T> stage = call.start();
                begun(stage);
                var ignored = stage.whenComplete(this::answered);
            } finally {
                call.content().release();
            }
        }

        private void answered(T value, @Nullable Throwable failure) {
            boolean isNoMoreWanted;
            synchronized (this) {
                current = null;
                isNoMoreWanted = isUnwanted;
            }
            Throwable cause = failure == null ? null : Failures.unwrapped(failure);
            if (hasToken && !(cause instanceof NotSentException)) {
                metrics.add(Counter.STORE_RETRIES, 1);
            }
            if (isNoMoreWanted) {
                call.discard(value);
                endUnwanted();
            } else if (cause == null) {
                succeeded(value);
            } else {
                failed(cause);
            }
        }

        private void begun(CompletionStage<T> stage) {
            synchronized (this) {
                isSending = false;
                current = stage;
                if (!ended && !isUnwanted) {
                    return;
                }
            }
            Abandonable.abandon(stage);
        }

        private void succeeded(T value) {
            if (end()) {
                call.complete(result, value);
            } else {
                call.discard(value);
            }
        }

        @SuppressWarnings("unchecked") // The late answer belongs to this call.
        private void failed(Throwable failure) {
            if (!isWorthRepeating(failure)) {
                fail(failure);
                return;
            }
            int failures;
            synchronized (this) {
                if (lastFailure == null || !(failure instanceof NotSentException)) {
                    lastFailure = failure;
                }
                failures = failure instanceof NotSentException ? --attempts : attempts;
            }
            Duration pause = policy.pause(failures, time.randomLong());
            if (failure instanceof NotSentException notSent) {
                if (hasToken) {
                    budget.giveBack();
                }
                if (notSent.reason() == NotSentException.Reason.STORE_IS_DOWN
                        && policy.whenDown() == StoreRetryPolicy.WhenDown.FAIL) {
                    fail(failure);
                    return;
                }
                pause = notSentPause();
            } else if (failure instanceof NoAnswerException noAnswer) {
                ((LateAnswer<T>) noAnswer.late()).claim(this::succeeded);
            }
            hasToken = false;
            retryAfter(pause);
        }

        /**
         * Reads are also repeated after unexpected exceptions of the store's client. Such a failure
         * would end a reader, whereas a writer rolls back and tries again.
         */
        private boolean isWorthRepeating(Throwable failure) {
            return failure instanceof StoreUnavailableException
                    || call.kind() == Kind.GET
                            && failure instanceof RuntimeException
                            && !(failure instanceof BlobShuffleException)
                            && !(failure instanceof CancellationException);
        }

        private Duration notSentPause() {
            return Duration.ofNanos(Long.remainderUnsigned(time.randomLong(), NOT_SENT_PAUSE_NANOS));
        }

        private void retryAfter(Duration pause) {
            synchronized (this) {
                if (ended) {
                    return;
                }
            }
            try {
                Time.Cancellable ignored = time.schedule(pause, this::retry);
            } catch (ClosedException e) {
                fail(e);
            }
        }

        private void retry() {
            boolean isFirst;
            synchronized (this) {
                if (ended) {
                    return;
                }
                isFirst = attempts == 0; // Nothing was sent yet.
            }
            if (isFirst) {
                attempt();
            } else if (budget.tryTake()) {
                hasToken = true;
                attempt();
            } else {
                retryAfter(notSentPause());
            }
        }

        private void outOfTime() {
            String story;
            Throwable last;
            synchronized (this) {
                last = lastFailure;
                story = "Cannot " + call.what() + ": " + location() + " was unavailable for "
                        + policy.total().toMillis() + " ms, in " + attempts + " attempts. ";
            }
            String end = last == null
                    ? "There was no answer. Check the store and the network."
                    : "Last failure: " + last.getMessage();
            fail(new StoreUnavailableException(story + end, last));
        }

        void close() {
            fail(new ClosedException("Cannot " + call.what() + ": " + location()
                    + " was closed. Close the store after everything that uses it."));
        }

        private void fail(Throwable failure) {
            if (end()) {
                result.completeExceptionally(failure);
            }
        }

        /** Ends the operation once. It releases the content before the caller's stage completes. */
        private boolean end() {
            CompletionStage<T> unwanted;
            synchronized (this) {
                if (ended) {
                    return false;
                }
                ended = true;
                unwanted = current;
                if (timer != null) {
                    timer.cancel();
                }
            }
            pending.remove(this);
            if (unwanted != null) {
                Abandonable.abandon(unwanted);
            }
            call.content().release();
            return true;
        }
    }
}
