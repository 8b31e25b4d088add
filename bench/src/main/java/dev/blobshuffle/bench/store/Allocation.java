package dev.blobshuffle.bench.store;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Bytes that this JVM has allocated on its heap. Stateless. */
final class Allocation {
    private Allocation() {}

    /**
     * Bytes that all live threads have allocated. Allocations of ended threads are not included.
     */
    static long bytes() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }
}
