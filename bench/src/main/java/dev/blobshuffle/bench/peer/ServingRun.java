package dev.blobshuffle.bench.peer;

import dev.blobshuffle.bench.process.CpuTime;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/**
 * One measured run of a server that runs as a process of its own. Readers in this process request
 * random ranges and check every one. The CPU time is the server's alone.
 */
public final class ServingRun implements AutoCloseable {
    private static final int BLOBS = 12;
    private static final int BLOB_LENGTH = 16 << 20;
    private static final double BYTES_PER_GIB = 1 << 30;

    private final Path directory;
    private final ServingPlan plan;
    private final SystemTime time = new SystemTime();
    private final byte[][] blobs = new byte[BLOBS][];
    private final Ranges ranges;

    /**
     * Creates blobs, and starts a server that has them.
     *
     * @param directory on a memory file system, with room for about 500 MiB
     * @param commandLine the name of the main class of {@code blobshuffle}
     */
    public ServingRun(Path directory, ServingPlan plan, String commandLine) throws IOException, InterruptedException {
        this.directory = directory;
        this.plan = plan;
        for (int i = 0; i < BLOBS; i++) {
            blobs[i] = new byte[BLOB_LENGTH];
            new Random(i).nextBytes(blobs[i]);
        }
        ranges = plan.server() == ServingPlan.Server.FLOOR
                ? new BareRanges(directory, plan, blobs)
                : new CacheRanges(directory, plan, commandLine, blobs);
    }

    /** Loads the blobs, warms up, and measures. */
    public Served measure() throws IOException, InterruptedException {
        for (int i = 0; i < BLOBS; i++) {
            ranges.load(i);
        }
        long ignored = readMany(plan.warmUpBytes());
        CpuTime before = CpuTime.of(List.of(ranges.pid()));
        CpuTime readersBefore = CpuTime.of(List.of(ProcessHandle.current().pid()));
        long start = time.nanos();
        long bytes = readMany(plan.bytes());
        double seconds = (time.nanos() - start) / 1e9;
        CpuTime used = CpuTime.of(List.of(ranges.pid())).since(before);
        CpuTime readers = CpuTime.of(List.of(ProcessHandle.current().pid())).since(readersBefore);
        double gibibytes = bytes / BYTES_PER_GIB;
        return new Served(
                plan,
                gibibytes,
                gibibytes / seconds,
                used.work() / gibibytes,
                used.compilers(),
                readers.work() / gibibytes);
    }

    private long readMany(long bytes) throws IOException, InterruptedException {
        AtomicLong left = new AtomicLong(bytes);
        ExecutorService readers = Executors.newFixedThreadPool(plan.readers());
        try {
            List<Future<Long>> all = new ArrayList<>();
            for (int i = 0; i < plan.readers(); i++) {
                Random random = new Random(i);
                all.add(readers.submit(() -> readUntilNoneAreLeft(random, left)));
            }
            long sum = 0;
            for (Future<Long> one : all) {
                sum += one.get();
            }
            return sum;
        } catch (ExecutionException e) {
            throw new IOException("Cannot read: " + e.getCause() + ". See the server's log in " + directory + ".", e);
        } finally {
            readers.shutdownNow();
        }
    }

    private long readUntilNoneAreLeft(Random random, AtomicLong left) throws IOException, InterruptedException {
        long read = 0;
        while (left.addAndGet(-plan.rangeBytes()) >= 0) {
            read(
                    random.nextInt(BLOBS),
                    8 * random.nextInt((BLOB_LENGTH - plan.rangeBytes()) / 8 + 1),
                    plan.rangeBytes());
            read += plan.rangeBytes();
        }
        return read;
    }

    private void read(int blob, int offset, int length) throws IOException, InterruptedException {
        CRC32C expected = new CRC32C();
        expected.update(blobs[blob], offset, length);
        if (ranges.checksum(blob, offset, length) != expected.getValue()) {
            throw new IOException("The server sent other bytes than were stored. The benchmark is void.");
        }
    }

    @Override
    public void close() {
        ranges.close();
        time.close();
    }
}
