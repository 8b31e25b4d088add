package dev.blobshuffle.core.internal.concurrent;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Counts the references to memory, or to files, that are recycled after the last one is released.
 * Thread-safe.
 */
public final class References {
    private final Supplier<String> what;
    private final Runnable whenReleased;
    private final AtomicInteger count;

    /**
     * A count that starts with references of the caller.
     *
     * @param count the number of these references, 1 or more
     * @param what names the owner of the memory in messages
     * @param whenReleased recycles the memory; runs once, on the thread that releases last
     */
    public References(int count, Supplier<String> what, Runnable whenReleased) {
        this.count = new AtomicInteger(count);
        this.what = what;
        this.whenReleased = whenReleased;
    }

    /** Adds a reference. Legal only while another reference is held. */
    public void retain() {
        if (count.getAndIncrement() < 1) {
            throw new IllegalStateException("Cannot retain " + what.get() + ": its memory is already recycled.");
        }
    }

    /** Releases a reference. */
    public void release() {
        int left = count.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("Cannot release " + what.get() + ": its memory is already recycled.");
        }
        if (left == 0) {
            whenReleased.run();
        }
    }
}
