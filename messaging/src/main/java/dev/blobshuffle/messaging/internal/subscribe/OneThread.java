package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.time.Signal;
import java.util.ConcurrentModificationException;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread at a time use a subscriber, and rejects others without waiting. The thread may
 * enter again, for example in a rebalance listener. Thread-safe.
 */
final class OneThread {
    private final Signal free;

    /** Guarded by this, like the depth. */
    private @Nullable Thread owner;

    private int depth;

    OneThread(Signal free) {
        this.free = free;
    }

    /** @throws ConcurrentModificationException another thread is inside */
    Use enter() {
        if (!tryEnter()) {
            throw new ConcurrentModificationException(
                    "Cannot use a subscriber from two threads at once. Give each thread its own; only wakeup and close"
                            + " may come from others.");
        }
        return this::leave;
    }

    /** Enters unless another thread is inside. */
    synchronized boolean tryEnter() {
        if (owner != null && owner != Thread.currentThread()) {
            return false;
        }
        owner = Thread.currentThread();
        depth++;
        return true;
    }

    /** Ends one entry. */
    void leave() {
        synchronized (this) {
            depth--;
            if (depth > 0) {
                return;
            }
            owner = null;
        }
        free.raise();
    }

    /** One use, which ends with its close. */
    interface Use extends AutoCloseable {
        @Override
        void close();
    }
}
