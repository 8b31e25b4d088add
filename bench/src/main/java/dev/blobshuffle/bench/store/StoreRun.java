package dev.blobshuffle.bench.store;

import dev.blobshuffle.bench.process.CpuTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Runs a cell: as many threads as blobs are in flight, each with its own blob. It measures this
 * process meanwhile. Owned by one thread.
 */
final class StoreRun {
    private final long bytes;
    private final Supplier<Optional<Long>> requests;

    /**
     * Runs of a size.
     *
     * @param bytes that each moves; at least two blobs per thread
     * @param requests number of requests to the server so far
     */
    StoreRun(long bytes, Supplier<Optional<Long>> requests) {
        this.bytes = bytes;
        this.requests = requests;
    }

    /** Moves blobs and checks every one. */
    StoreResult run(TransferCell cell, StoreClient client, boolean isBare, Blobs blobs, int repetition)
            throws IOException, InterruptedException, ExecutionException {
        int perThread = (int) Math.max(2, bytes / blobs.bytes() / cell.concurrency());
        ExecutorService threads = Executors.newFixedThreadPool(cell.concurrency());
        try {
            // Opens connections and threads before the measurement, and stores the blobs for the
            // reads.
            boolean verified = each(threads, cell, slot -> put(client, slot))
                    && each(threads, cell, slot -> client.get(slot) == blobs.checksum());
            Optional<Long> requestsBefore = requests.get();
            CpuTime cpuBefore = self();
            long allocatedBefore = Allocation.bytes();
            long start = System.nanoTime();
            verified &= each(threads, cell, slot -> transfer(cell, client, blobs, slot, perThread));
            double seconds = (System.nanoTime() - start) / 1e9;
            long allocated = Allocation.bytes() - allocatedBefore;
            CpuTime cpu = self().since(cpuBefore);
            Optional<Long> sent = requests.get().map(after -> after - requestsBefore.orElse(0L));
            verified &= each(threads, cell, slot -> client.get(slot) == blobs.checksum());
            boolean ignored = each(threads, cell, slot -> {
                client.delete(slot);
                return true;
            });
            return new StoreResult(
                    cell,
                    isBare,
                    repetition,
                    perThread * cell.concurrency(),
                    seconds,
                    cpu.total() - cpu.compilers(),
                    allocated,
                    sent,
                    verified);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Whether all blobs of one thread are right. */
    private static boolean transfer(TransferCell cell, StoreClient client, Blobs blobs, int slot, int count)
            throws Exception {
        boolean right = true;
        for (int i = 0; i < count; i++) {
            right &= cell.direction() == TransferCell.Direction.PUT
                    ? put(client, slot)
                    : client.get(slot) == blobs.checksum();
        }
        return right;
    }

    private static boolean put(StoreClient client, int slot) throws Exception {
        client.put(slot);
        return true;
    }

    private static CpuTime self() throws IOException {
        return CpuTime.of(List.of(ProcessHandle.current().pid()));
    }

    private interface Step {
        boolean run(int slot) throws Exception;
    }

    /** Runs a step in every slot at once. Returns whether all blobs were right. */
    private static boolean each(ExecutorService threads, TransferCell cell, Step step)
            throws InterruptedException, ExecutionException {
        List<Future<Boolean>> steps = new ArrayList<>();
        for (int slot = 0; slot < cell.concurrency(); slot++) {
            int chosen = slot;
            steps.add(threads.submit(() -> step.run(chosen)));
        }
        boolean right = true;
        for (Future<Boolean> one : steps) {
            right &= one.get();
        }
        return right;
    }
}
