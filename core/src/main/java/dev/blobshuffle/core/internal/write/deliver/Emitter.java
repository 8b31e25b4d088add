package dev.blobshuffle.core.internal.write.deliver;

import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.time.Signal;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the thread that sends a queue's segments: at most one at a time, the emitter. A thread
 * that finds work while another one emits only increments a counter, and the emitter checks again
 * before it stops. So no caller waits for a channel that blocks. Thread-safe.
 */
final class Emitter {
    private final DeliveryQueue queue;
    private final Channel channel;
    private final Signal progress;
    private final DeliveryContext context;
    private final AtomicInteger emissions = new AtomicInteger();
    private final AtomicBoolean isScheduled = new AtomicBoolean();
    private volatile @Nullable Thread emitter;
    private volatile boolean ownerEmits;

    Emitter(DeliveryQueue queue, Channel channel, Signal progress, DeliveryContext context) {
        this.queue = queue;
        this.channel = channel;
        this.progress = progress;
        this.context = context;
    }

    /** As {@link DeliveryQueue#emitSoon}. */
    void emitSoon() {
        if (ownerEmits) {
            progress.raise();
        } else if (!queue.isEnded() && isScheduled.compareAndSet(false, true)) {
            try {
                context.execute(() -> {
                    isScheduled.set(false);
                    emit();
                });
            } catch (RuntimeException | Error e) {
                isScheduled.set(false);
                queue.fail(new DeliveryFailedException(
                        "Cannot deliver records of lane " + queue.laneName()
                                + ": no thread takes them. Roll back to the last commit, and check the process's limits.",
                        e));
            }
        }
    }

    /** As {@link DeliveryQueue#setOwnerEmits}. */
    void setOwnerEmits(boolean emits) {
        ownerEmits = emits;
        if (!emits && queue.hasSendable()) {
            emitSoon(); // Segments may have become sendable before the flag was cleared.
        }
    }

    /** As {@link DeliveryQueue#emit}. */
    void emit() {
        if (emissions.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        int sent = 0;
        boolean left = false;
        try {
            do {
                emitter = Thread.currentThread();
                int taken = queue.send();
                sent += taken;
                if (taken > 0 && !ownerEmits) {
                    channel.requestFlush(); // An owner in a flush flushes the channel after the last send.
                }
                emitter = null;
                missed = emissions.addAndGet(-missed);
            } while (missed != 0);
            left = true;
        } finally {
            if (!left) {
                emitter = null;
                emissions.set(0);
            }
            if (sent > 0 || queue.isEnded() || !left) {
                progress.raise();
            }
        }
    }

    /** Whether no other thread sends. */
    boolean isLeftByOthers() {
        return emissions.get() == 0 || emitter == Thread.currentThread();
    }
}
