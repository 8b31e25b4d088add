package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A store whose reads a test can delay, fail or falsify. It counts reads and bytes on loan.
 * Thread-safe.
 */
final class ScriptedBlobStore extends ForwardingBlobStore {
    private final List<BlobRange> reads = new ArrayList<>();
    private final Deque<Runnable> held = new ArrayDeque<>();
    private final Deque<Throwable> failures = new ArrayDeque<>();
    private final Deque<UnaryOperator<byte[]>> falsifications = new ArrayDeque<>();
    private final AtomicLong open = new AtomicLong();
    private boolean isHolding;
    private @Nullable BlobId last;
    private @Nullable BlobId hidden;
    private int hiddenReads;

    ScriptedBlobStore(BlobStore store) {
        super(store);
    }

    /** Delays reads from now on until {@link #release}. */
    synchronized void hold() {
        isHolding = true;
    }

    /** Ends the delayed reads in the order of their start, and delays no more. */
    void release() {
        List<Runnable> ends;
        synchronized (this) {
            isHolding = false;
            ends = new ArrayList<>(held);
            held.clear();
        }
        ends.forEach(Runnable::run);
    }

    /** Ends the delayed read that began last. */
    void releaseLast() {
        Runnable end;
        synchronized (this) {
            end = held.removeLast();
        }
        end.run();
    }

    /** Fails the next read that has no scripted failure yet. */
    synchronized void fail(Throwable failure) {
        failures.add(failure);
    }

    /**
     * Hides the blob of the last read for a number of reads, including the last one if it is
     * delayed.
     */
    synchronized void hideLast(int times) {
        hidden = last;
        hiddenReads = times;
    }

    private synchronized boolean isHidden(BlobId id) {
        return id.equals(hidden) && hiddenReads-- > 0;
    }

    /** Changes the bytes of the next read. */
    synchronized void falsify(UnaryOperator<byte[]> change) {
        falsifications.add(change);
    }

    /** The reads so far. */
    synchronized List<BlobRange> reads() {
        return List.copyOf(reads);
    }

    /** The number of delayed reads. */
    synchronized int heldReads() {
        return held.size();
    }

    /** Bytes on loan. */
    long openBytes() {
        return open.get();
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        CompletableFuture<BlobBytes> result = new CompletableFuture<>();
        Throwable failure;
        UnaryOperator<byte[]> change;
        synchronized (this) {
            reads.add(range);
            last = id;
            failure = failures.poll();
            change = failure == null ? falsifications.poll() : null;
            if (isHolding) {
                held.add(() -> end(id, range, failure, change, result));
                return result;
            }
        }
        end(id, range, failure, change, result);
        return result;
    }

    private void end(
            BlobId id,
            BlobRange range,
            @Nullable Throwable failure,
            @Nullable UnaryOperator<byte[]> change,
            CompletableFuture<BlobBytes> result) {
        if (failure != null) {
            result.completeExceptionally(failure);
            return;
        }
        if (isHidden(id)) {
            result.completeExceptionally(new BlobMissingException("Cannot read blob " + id + ": the test hides it."));
            return;
        }
        store().get(id, range).whenComplete((bytes, thrown) -> {
            if (thrown != null) {
                result.completeExceptionally(thrown);
            } else {
                result.complete(loan(bytes, change));
            }
        });
    }

    private BlobBytes loan(BlobBytes bytes, @Nullable UnaryOperator<byte[]> change) {
        byte[] copy = new byte[bytes.buffer().remaining()];
        bytes.buffer().get(copy);
        bytes.close();
        byte[] array = change == null ? copy : change.apply(copy);
        open.addAndGet(array.length);
        return new BlobBytes() {
            private boolean isClosed;

            @Override
            public ByteBuffer buffer() {
                return ByteBuffer.wrap(array);
            }

            @Override
            public synchronized void close() {
                if (!isClosed) {
                    isClosed = true;
                    open.addAndGet(-array.length);
                    java.util.Arrays.fill(array, (byte) 0xDD); // A reader that still uses the bytes reads garbage.
                }
            }
        };
    }
}
