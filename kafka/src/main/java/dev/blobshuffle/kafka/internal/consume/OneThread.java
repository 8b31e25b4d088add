package dev.blobshuffle.kafka.internal.consume;

import java.util.ConcurrentModificationException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread at a time use a consumer, and rejects others without waiting, as Kafka's consumer
 * does. The thread may enter again, for example in a rebalance listener. Thread-safe.
 */
final class OneThread {
    private final AtomicReference<@Nullable Thread> owner = new AtomicReference<>();
    private final Use use = this::leave;

    /** Owned by the thread that is inside. */
    private int depth;

    /** @throws ConcurrentModificationException recoverable: another thread is inside */
    Use enter() {
        Thread current = Thread.currentThread();
        if (owner.get() != current && !owner.compareAndSet(null, current)) {
            throw new ConcurrentModificationException(
                    "Cannot use a consumer from two threads at once. Give each thread its own; only wakeup may come from"
                            + " others.");
        }
        depth++;
        return use;
    }

    private void leave() {
        depth--;
        if (depth == 0) {
            owner.set(null);
        }
    }

    /** One use, which ends with its close. */
    interface Use extends AutoCloseable {
        @Override
        void close();
    }
}
