package dev.blobshuffle.simulator.store;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.store.FaultPlan.Request;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A store whose requests fail as a plan says: they are late, refused, lost or answered wrongly.
 * Thread-safe.
 */
public final class FaultyBlobStore extends ForwardingBlobStore {
    private static final Runnable NOTHING = () -> {};

    private final Time time;
    private final Map<StoreFault.Kind, AtomicLong> counts = new EnumMap<>(StoreFault.Kind.class);

    /**
     * For each hanging request the action that ends it, in the order of the requests; guarded by
     * itself.
     */
    private final Map<CompletableFuture<?>, Runnable> hanging = new LinkedHashMap<>();

    private volatile FaultPlan plan;

    /** Applies a plan to the requests to a store. */
    public FaultyBlobStore(BlobStore store, Time time, FaultPlan plan) {
        super(store);
        this.time = time;
        this.plan = plan;
        for (StoreFault.Kind kind : StoreFault.Kind.values()) {
            counts.put(kind, new AtomicLong());
        }
    }

    /** Replaces the plan, for requests from now on. */
    public void follow(FaultPlan newPlan) {
        plan = newPlan;
    }

    /** Faults that have happened, delays not counted. */
    public long faults() {
        long sum = 0;
        for (StoreFault.Kind kind : StoreFault.Kind.values()) {
            sum += kind == StoreFault.Kind.DELAY ? 0 : faults(kind);
        }
        return sum;
    }

    /** Requests that had a fault of a kind. A request without a fault counts as a delay of zero. */
    public long faults(StoreFault.Kind kind) {
        AtomicLong count = counts.get(kind);
        return count == null ? 0 : count.get();
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        content.retain();
        return request(Request.PUT, "store blob " + id, () -> store().put(id, content), content::release);
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        return request(Request.DELETE, "delete blobs", () -> store().delete(ids), NOTHING);
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        return request(Request.LIST, "list generation " + generation, () -> store().list(owner, generation), NOTHING);
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, GenerationSpan generations) {
        return request(
                Request.LIST,
                "list generations from " + generations.first(),
                () -> store().list(owner, generations),
                NOTHING);
    }

    @Override
    public CompletionStage<List<Long>> generations(int owner) {
        return request(Request.LIST, "list generations", () -> store().generations(owner), NOTHING);
    }

    @Override
    public CompletionStage<List<Integer>> owners() {
        return request(Request.LIST, "list owners", () -> store().owners(), NOTHING);
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        StoreFault fault = next(Request.GET);
        String what = "read blob " + id;
        return switch (fault.kind()) {
            case TRUNCATE, FLIP ->
                apply(
                        new StoreFault(StoreFault.Kind.DELAY, fault.delay()),
                        what,
                        () -> store().get(id, range).thenApply(bytes -> damaged(bytes, fault.kind())),
                        NOTHING);
            case MISSING ->
                apply(
                        new StoreFault(StoreFault.Kind.DELAY, fault.delay()),
                        what,
                        () -> CompletableFuture.failedFuture(
                                new BlobMissingException("Cannot " + what + ": planned by the test. Ask again.")),
                        NOTHING);
            case FAIL_AFTER ->
                apply(
                        fault,
                        what,
                        () -> store().get(id, range).whenComplete((bytes, failure) -> {
                            if (failure == null) {
                                bytes.close();
                            }
                        }),
                        NOTHING);
            default -> apply(fault, what, () -> store().get(id, range), NOTHING);
        };
    }

    private BlobBytes damaged(BlobBytes bytes, StoreFault.Kind kind) {
        ByteBuffer whole = bytes.buffer();
        byte[] copy = new byte[whole.remaining()];
        whole.get(copy);
        bytes.close();
        int at = (int) Long.remainderUnsigned(time.randomLong(), copy.length);
        if (kind == StoreFault.Kind.TRUNCATE) {
            return BlobBytes.of(ByteBuffer.wrap(copy, 0, at).slice());
        }
        copy[at] ^= (byte) (1 << Long.remainderUnsigned(time.randomLong(), 8));
        return BlobBytes.of(ByteBuffer.wrap(copy));
    }

    private <T> CompletionStage<T> request(
            Request request, String what, Supplier<CompletionStage<T>> action, Runnable atEnd) {
        StoreFault fault = next(request);
        return switch (fault.kind()) {
            case TRUNCATE, FLIP, MISSING ->
                apply(new StoreFault(StoreFault.Kind.DELAY, fault.delay()), what, action, atEnd);
            default -> apply(fault, what, action, atEnd);
        };
    }

    private StoreFault next(Request request) {
        StoreFault fault = plan.next(request);
        AtomicLong count = counts.get(fault.kind());
        if (count != null) {
            count.incrementAndGet();
        }
        return fault;
    }

    private <T> CompletionStage<T> apply(
            StoreFault fault, String what, Supplier<CompletionStage<T>> action, Runnable atEnd) {
        CompletableFuture<T> result = new CompletableFuture<>();
        AtomicBoolean ended = new AtomicBoolean();
        Runnable endOnce = () -> {
            if (ended.compareAndSet(false, true)) {
                atEnd.run();
            }
        };
        Runnable start = () -> start(fault.kind(), what, action, endOnce, result);
        if (fault.kind() == StoreFault.Kind.HANG) {
            synchronized (hanging) {
                hanging.put(result, endOnce);
            }
        } else if (fault.delay().isZero()) {
            start.run();
        } else {
            time.schedule(fault.delay(), start);
        }
        return result;
    }

    private <T> void start(
            StoreFault.Kind kind,
            String what,
            Supplier<CompletionStage<T>> action,
            Runnable atEnd,
            CompletableFuture<T> result) {
        StoreUnavailableException planned =
                new StoreUnavailableException("Cannot " + what + ": planned by the test (" + kind + "). Try again.");
        if (kind == StoreFault.Kind.FAIL_BEFORE) {
            atEnd.run();
            result.completeExceptionally(planned);
            return;
        }
        if (kind == StoreFault.Kind.THROTTLE) {
            atEnd.run();
            result.completeExceptionally(new StoreThrottledException(
                    "Cannot " + what + ": planned by the test (throttled). Ask less often."));
            return;
        }
        action.get().whenComplete((value, failure) -> {
            atEnd.run();
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (kind == StoreFault.Kind.FAIL_AFTER) {
                result.completeExceptionally(planned);
            } else {
                result.complete(value);
            }
        });
    }

    /** Ends the hanging requests, and the store. Idempotent. */
    @Override
    public void close() {
        Map<CompletableFuture<?>, Runnable> ended;
        synchronized (hanging) {
            ended = new LinkedHashMap<>(hanging);
            hanging.clear();
        }
        ended.forEach((result, atEnd) -> {
            atEnd.run();
            result.completeExceptionally(
                    new ClosedException("Cannot finish a request: " + location() + " was closed. Close it last."));
        });
        super.close();
    }
}
