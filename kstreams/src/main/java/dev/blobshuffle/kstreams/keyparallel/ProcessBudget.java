package dev.blobshuffle.kstreams.keyparallel;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What all nodes of this process together may hold. Each node of each task has an equal share, so
 * that none waits for what another one holds: the two may be of one thread, which would wait for
 * itself. Thread-safe.
 */
final class ProcessBudget {
    /** A process has one heap, however many applications are in it. */
    static final ProcessBudget OF_THIS_PROCESS = new ProcessBudget();

    /** Of the largest heap, where nothing else is set. */
    private static final int PART_OF_HEAP = 4;

    private final AtomicInteger open = new AtomicInteger();

    /** A node opens. */
    void enter() {
        open.incrementAndGet();
    }

    /** A node closes. */
    void leave() {
        open.decrementAndGet();
    }

    /** The part of one node, in bytes, of a total. */
    long share(long total) {
        return total / Math.max(1, open.get());
    }

    static long standard() {
        return Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
    }
}
