package dev.blobshuffle.kstreams.keyparallel;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory budget of all nodes of this process. Each node of each task has an equal share. No
 * node waits for another node's memory: both may be on the same thread, which would then wait for
 * itself. Thread-safe.
 */
final class ProcessBudget {
    /** One for the process, because it has one heap, however many applications run in it. */
    static final ProcessBudget OF_THIS_PROCESS = new ProcessBudget();

    /** The default budget, as a part of the largest heap. */
    private static final int PART_OF_HEAP = 4;

    private final AtomicInteger open = new AtomicInteger();

    /** Called when a node opens. */
    void enter() {
        open.incrementAndGet();
    }

    /** Called when a node closes. */
    void leave() {
        open.decrementAndGet();
    }

    /** One node's share of a total, in bytes. */
    long share(long total) {
        return total / Math.max(1, open.get());
    }

    static long standard() {
        return Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
    }
}
