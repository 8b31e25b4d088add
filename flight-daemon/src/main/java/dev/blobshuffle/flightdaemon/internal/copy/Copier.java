package dev.blobshuffle.flightdaemon.internal.copy;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flightdaemon.internal.blob.Catalog;
import dev.blobshuffle.flightdaemon.internal.blob.CopyStore;
import dev.blobshuffle.flightdaemon.internal.blob.CopyStore.Copying;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.Shuffle;
import dev.blobshuffle.flightdaemon.internal.blob.StoredBlob;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies committed shuffles to the store of their namespace in the background. It copies one
 * shuffle at a time, several blobs of it in parallel, and then the commit. It keeps no record of
 * finished work: a listing of the store shows the missing blobs, also after a restart. A shuffle
 * that fails is retried later, after others. Each transfer uses a small buffer. Thread-safe:
 * guarded by itself.
 */
public final class Copier implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Copier.class);

    /** The most transfers in flight. */
    private static final int TRANSFERS = 4;

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);
    private static final Duration RELEASE_PAUSE = Duration.ofSeconds(1);

    /** The interval of reports during a long outage of a store. */
    private static final long REPORT_NANOS = Duration.ofSeconds(10).toNanos();

    /** The time that {@link #close} waits for requests in flight. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private final Catalog catalog;
    private final Time time;
    private final Signal idle;
    private final Time.Workers leader;
    private final Time.Workers transfers;
    private final Map<String, CopyJob> jobs = new LinkedHashMap<>();
    private final LongAdder copiedBlobs = new LongAdder();
    private final LongAdder copiedBytes = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private boolean isRunning;
    private boolean hasReported;
    private long reportedNanos;
    private volatile boolean isClosed;

    /**
     * Counts of copied blobs since the start, and of pending blobs.
     *
     * @param blobs copied
     * @param bytes of the copied blobs
     * @param pendingBlobs blobs of committed shuffles that are not copied yet
     * @param pendingBytes of the pending blobs
     * @param failedBlobs pending blobs whose shuffle has failed and waits for its next attempt
     * @param failedBytes of these blobs
     * @param failures failed attempts to copy a shuffle
     */
    public record Counts(
            long blobs,
            long bytes,
            long pendingBlobs,
            long pendingBytes,
            long failedBlobs,
            long failedBytes,
            long failures) {}

    /** Copies the shuffles of a catalog whose namespaces have a store of copies. */
    public Copier(Catalog catalog, Time time) {
        this.catalog = catalog;
        this.time = time;
        idle = time.signal();
        leader = time.workers("blobshuffle-flight-copy", 1);
        transfers = time.workers("blobshuffle-flight-copy-transfer", TRANSFERS);
    }

    /** Starts with the shuffles that were committed before the daemon started. */
    public void start() {
        leader.execute(() -> catalog.namespaces().stream()
                .filter(namespace -> catalog.copies(namespace).isPresent())
                .forEach(this::copyAll));
    }

    private void copyAll(String namespace) {
        try {
            catalog.names(namespace).forEach(shuffle -> copyIfCommitted(namespace, shuffle));
        } catch (BlobShuffleException e) {
            LOG.warn(
                    "Cannot find the shuffles of namespace {} that have no copy. Commit them again, or restart. {}",
                    namespace,
                    e.getMessage());
        }
    }

    private void copyIfCommitted(String namespace, String shuffle) {
        try {
            if (catalog.shuffle(namespace, shuffle).committedMaps().isPresent()) {
                copy(namespace, shuffle);
            }
        } catch (RefusedException e) {
            return; // The shuffle has been released meanwhile.
        } catch (BlobShuffleException e) {
            LOG.warn("Cannot copy shuffle {}/{}. Commit it again, or restart. {}", namespace, shuffle, e.getMessage());
        }
    }

    /** Schedules the copy of a committed shuffle, if its namespace has a store. Does not block. */
    public void copy(String namespace, String shuffle) {
        Optional<CopyStore> store = catalog.copies(namespace);
        if (store.isEmpty() || isClosed) {
            return;
        }
        CopyJob job = new CopyJob(namespace, shuffle, time.nanos());
        order(job).ifPresent(order -> expect(job, order.blobs()));
        synchronized (this) {
            CopyJob before = jobs.putIfAbsent(job.toString(), job);
            if (before == null) {
                store.get().want(shuffle);
            } else {
                before.again();
            }
        }
        wake();
    }

    private synchronized void wake() {
        if (!isRunning && !isClosed) {
            isRunning = true;
            leader.execute(this::run);
        }
    }

    private void run() {
        for (CopyJob job = next(); job != null; job = next()) {
            try {
                if (copy(job)) {
                    end(job);
                }
            } catch (BlobShuffleException e) {
                failed(job, e);
            } catch (RuntimeException | Error e) {
                LOG.error("Copying shuffle {} failed. It is tried again.", job, e);
                failed(job, new StoreUnavailableException("Cannot copy shuffle " + job + ": " + e + ".", e));
            }
        }
        idle.raise();
    }

    /** The first job that is due; null if there is none. A timer then calls again. */
    private synchronized @Nullable CopyJob next() {
        long now = time.nanos();
        long least = Long.MAX_VALUE;
        if (!isClosed) {
            for (CopyJob job : jobs.values()) {
                long wait = job.waitNanos(now);
                if (wait <= 0) {
                    return job;
                }
                least = Math.min(least, wait);
            }
        }
        isRunning = false;
        if (least != Long.MAX_VALUE) {
            Time.Cancellable ignored = time.schedule(Duration.ofNanos(least), this::wake);
        }
        return null;
    }

    /** Copies the blobs that the store lacks; returns whether the job is done. */
    private boolean copy(CopyJob job) {
        CopyStore store = catalog.copies(job.namespace).orElseThrow();
        Copying state = store.copying(job.shuffle);
        if (state == Copying.RELEASING) {
            postpone(job);
            return false;
        }
        if (state == Copying.RELEASED) {
            store.delete(job.shuffle); // Delete blobs that arrived after the release.
            store.want(job.shuffle);
        }
        Optional<Shuffle.Order> found = order(job);
        if (found.isEmpty()) {
            return true;
        }
        Shuffle.Order order = found.get();
        expect(job, order.blobs());
        Map<String, Long> stored = store.lengths(job.shuffle);
        Map<StoredBlob, Long> lacking = new LinkedHashMap<>(order.blobs());
        lacking.entrySet()
                .removeIf(blob ->
                        blob.getValue().equals(stored.get(blob.getKey().name().file())));
        expect(job, lacking);
        if (!transfer(job, store, lacking)) {
            return false;
        }
        order.elsewhere().forEach((file, length) -> requireStored(job, store, file, length.equals(stored.get(file))));
        if (store.copying(job.shuffle) != Copying.WANTED) {
            return false;
        }
        Optional<byte[]> commit = store.commit(job.shuffle, stored);
        if (commit.isEmpty() || !Arrays.equals(commit.get(), order.commit())) {
            store.putCommit(job.shuffle, order.commit());
        }
        return store.copying(job.shuffle) == Copying.WANTED;
    }

    private static void requireStored(CopyJob job, CopyStore store, String file, boolean isStored) {
        if (!isStored) {
            throw new StoreUnavailableException("Cannot copy shuffle " + job + ": its blob " + file
                    + " is lost, here and in " + store.location() + ". Run its map again, then commit again.");
        }
    }

    private synchronized void postpone(CopyJob job) {
        job.postpone(time.nanos() + RELEASE_PAUSE.toNanos());
    }

    private Optional<Shuffle.Order> order(CopyJob job) {
        try {
            return catalog.shuffle(job.namespace, job.shuffle).order();
        } catch (RefusedException e) {
            return Optional.empty(); // The blob has been released, or lost with its directory.
        }
    }

    private static void expect(CopyJob job, Map<StoredBlob, Long> blobs) {
        job.blobs.set(blobs.size());
        job.bytes.set(blobs.values().stream().mapToLong(Long::longValue).sum());
    }

    /**
     * Copies blobs, several in parallel. Throws the first failure after the last transfer has
     * ended.
     *
     * @return whether all have arrived; false if the shuffle is being released or the daemon is
     *     closing
     */
    private boolean transfer(CopyJob job, CopyStore store, Map<StoredBlob, Long> lacking) {
        Queue<Map.Entry<StoredBlob, Long>> queue = new ConcurrentLinkedQueue<>(lacking.entrySet());
        Queue<BlobShuffleException> failed = new ConcurrentLinkedQueue<>();
        CompletableFuture<?>[] all = IntStream.range(0, Math.min(TRANSFERS, lacking.size()))
                .mapToObj(i -> CompletableFuture.runAsync(() -> transfer(job, store, queue, failed), transfers))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(all).join();
        BlobShuffleException first = failed.poll();
        if (first != null) {
            throw first;
        }
        return queue.isEmpty();
    }

    private void transfer(
            CopyJob job,
            CopyStore store,
            Queue<Map.Entry<StoredBlob, Long>> queue,
            Queue<BlobShuffleException> failed) {
        while (!isClosed && store.copying(job.shuffle) == Copying.WANTED) {
            Map.Entry<StoredBlob, Long> next = queue.poll();
            if (next == null) {
                return;
            }
            try {
                store.put(job.shuffle, next.getKey(), () -> isClosed);
                copiedBlobs.increment();
                copiedBytes.add(next.getValue());
                job.blobs.decrementAndGet();
                job.bytes.addAndGet(-next.getValue());
            } catch (BlobShuffleException e) {
                failed.add(e);
                if (e instanceof StoreUnavailableException && !(e instanceof StoreRefusedException)) {
                    queue.clear(); // The other blobs would fail too, each after a timeout.
                }
            }
        }
    }

    private synchronized void end(CopyJob job) {
        if (isClosed || job.takeAgain()) {
            return;
        }
        jobs.remove(job.toString());
        catalog.copies(job.namespace).orElseThrow().forget(job.shuffle);
        LOG.debug("Shuffle {} has its copy.", job);
    }

    private synchronized void failed(CopyJob job, BlobShuffleException cause) {
        if (isClosed) {
            return;
        }
        failures.increment();
        long pause = Math.min(LONGEST_PAUSE.toNanos(), FIRST_PAUSE.toNanos() << Math.min(job.failures(), 10));
        // Jitter, so that not all retry at once when the store is back.
        pause += (long) (pause * ((time.randomLong() >>> 11) * 0x1p-53) / 4);
        long now = time.nanos();
        job.failed(now + pause);
        if (!hasReported || now - reportedNanos > REPORT_NANOS) {
            hasReported = true;
            reportedNanos = now;
            LOG.warn(
                    "Shuffle {} has no complete copy: {} blobs with {} bytes are missing after {} attempts. The next"
                            + " is in {} s; {} shuffles wait. {}",
                    job,
                    job.blobs,
                    job.bytes,
                    job.failures(),
                    Duration.ofNanos(pause).toSeconds(),
                    jobs.size(),
                    cause.getMessage());
        }
    }

    /** The current counts. */
    public synchronized Counts counts() {
        long pendingBlobs = 0;
        long pendingBytes = 0;
        long failedBlobs = 0;
        long failedBytes = 0;
        for (CopyJob job : jobs.values()) {
            pendingBlobs += job.blobs.get();
            pendingBytes += job.bytes.get();
            if (job.failures() > 0) {
                failedBlobs += job.blobs.get();
                failedBytes += job.bytes.get();
            }
        }
        return new Counts(
                copiedBlobs.sum(),
                copiedBytes.sum(),
                pendingBlobs,
                pendingBytes,
                failedBlobs,
                failedBytes,
                failures.sum());
    }

    /**
     * Starts no more transfers, abandons those in flight, and waits at most 10 seconds for their
     * end. The next start copies the missing blobs. Idempotent.
     */
    @Override
    public void close() {
        isClosed = true;
        try {
            awaitIdle();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        leader.close();
        transfers.close();
    }

    private void awaitIdle() throws InterruptedException {
        long deadline = time.nanos() + CLOSE_LIMIT.toNanos();
        boolean isInTime = true;
        for (long seen = idle.count(); isRunning() && isInTime; ) {
            isInTime = idle.await(seen, deadline);
            seen = idle.count();
        }
        if (!isInTime) {
            LOG.warn(
                    "A store of copies has not answered for {} s, and the daemon ends. A blob may still arrive there.",
                    CLOSE_LIMIT.toSeconds());
        }
    }

    private synchronized boolean isRunning() {
        return isRunning;
    }
}
