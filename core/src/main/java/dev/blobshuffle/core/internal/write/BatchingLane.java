package dev.blobshuffle.core.internal.write;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.failure.MemoryExhaustedException;
import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.deliver.DeliveryQueue;
import dev.blobshuffle.core.internal.write.deliver.Segment;
import dev.blobshuffle.core.internal.write.log.Chunk;
import dev.blobshuffle.core.internal.write.log.ChunkPool;
import dev.blobshuffle.core.internal.write.log.LogCut;
import dev.blobshuffle.core.internal.write.log.PartitionLog;
import dev.blobshuffle.core.internal.write.seal.OpenBatch;
import dev.blobshuffle.core.internal.write.seal.SealReason;
import dev.blobshuffle.core.internal.write.seal.Sealable;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A lane of a {@link Batcher}: its outputs, and its delivery queue, which each discard replaces.
 * Owned by the lane's thread. The monitor of the {@link OpenBatch} guards the list of outputs, the
 * replacement of the queue, and whether the lane has ended.
 */
final class BatchingLane implements Lane, Sealable, PartitionLog.Owner {
    private final String name;
    private final Channel channel;
    private final Batcher batcher;
    private final OpenBatch batch;
    private final ChunkPool pool;
    private final Time time;
    private final Signal progress;

    private final Map<Partition, PartitionLog> outputsByPartition = new HashMap<>();
    private final Map<Zone, PartitionLog.Section> sections = new HashMap<>();
    /** Guarded by the batch. */
    private final List<PartitionLog> outputs = new ArrayList<>();
    /**
     * Written by the lane's thread under the batch's monitor; read by that thread, or under the
     * monitor.
     */
    private DeliveryQueue queue;
    /** Guarded by the batch. */
    private boolean hasEnded;

    BatchingLane(String name, Channel channel, Batcher batcher, OpenBatch batch) {
        this.name = name;
        this.channel = channel;
        this.batcher = batcher;
        this.batch = batch;
        pool = batcher.pool();
        time = batcher.time();
        progress = time.signal();
        queue = newQueue();
    }

    private DeliveryQueue newQueue() {
        return new DeliveryQueue(name, channel, progress, batcher.deliveries());
    }

    @Override
    public OpenBatch batch() {
        return batch;
    }

    @Override
    public Output output(Partition partition, Zone zone) {
        PartitionLog output = outputsByPartition.get(partition);
        if (output == null) {
            return open(partition, zone);
        }
        if (!output.zone().equals(zone)) {
            synchronized (batch) {
                output.moveTo(section(zone));
            }
        }
        return output;
    }

    private Output open(Partition partition, Zone zone) {
        checkUsable();
        pool.addOutput();
        PartitionLog output = new PartitionLog(this, partition, section(zone), pool);
        outputsByPartition.put(partition, output);
        synchronized (batch) {
            outputs.add(output);
        }
        return output;
    }

    @Override
    public boolean forget(Partition partition) {
        PartitionLog output = outputsByPartition.get(partition);
        if (output == null) {
            return true;
        }
        synchronized (batch) {
            if (hasEnded || output.hasUnsealed()) {
                return false;
            }
            output.drop();
            output.end();
            outputs.remove(output);
        }
        outputsByPartition.remove(partition);
        pool.removeOutputs(1);
        return true;
    }

    private PartitionLog.Section section(Zone zone) {
        return sections.computeIfAbsent(zone, batch::section);
    }

    @Override
    public void checkUsable() {
        RuntimeException failure = queue.failure();
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public @Nullable RuntimeException failure() {
        return queue.failure();
    }

    @Override
    public Chunk acquire(int size) {
        Chunk chunk = pool.acquire(size);
        return chunk != null ? chunk : waitForMemory(size);
    }

    private Chunk waitForMemory(int size) {
        long start = time.nanos();
        long deadline = start + batcher.options().maxBlock().toNanos();
        synchronized (batch) {
            // This includes chunks with unsealed records. After the seal below, the blob holds
            // their memory, not the log.
            outputs.forEach(PartitionLog::retire);
        }
        boolean mustSeal = true;
        try (ChunkPool.Ticket ticket = pool.queue()) {
            while (true) {
                long seen = pool.released().count();
                checkUsable();
                Chunk chunk = pool.acquire(size, ticket);
                if (chunk != null) {
                    return chunk;
                }
                // Seal first, and again whenever no upload is running that would free memory.
                if (mustSeal || batcher.uploads().isIdle()) {
                    mustSeal = false;
                    batcher.sealAll(SealReason.MEMORY);
                }
                if (!pool.released().await(seen, deadline)) {
                    throw exhausted(size);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException(
                    "Cannot append a record in lane " + name + ": the thread was interrupted. Append it again.", e);
        } finally {
            batcher.metrics().add(Counter.APPEND_BLOCKED_TIME, time.nanos() - start);
        }
    }

    private MemoryExhaustedException exhausted(int size) {
        return new MemoryExhaustedException(
                "Cannot append a record in lane " + name + ": no " + size + " bytes of the write buffer of "
                        + pool.budget() + " bytes became free in "
                        + batcher.options().maxBlock().toMillis()
                        + " ms. Check how fast the store is, or raise write.buffer.bytes.");
    }

    @Override
    public void cut(List<Segment> sealed, long nowNanos) {
        for (PartitionLog output : outputs) {
            LogCut cut = output.cut();
            if (cut == null) {
                continue;
            }
            Segment segment = new Segment(queue, output.partition(), output.zone(), cut, nowNanos);
            if (queue.enqueue(segment)) {
                sealed.add(segment);
            } else {
                segment.releasePlain();
            }
        }
    }

    @Override
    public boolean hasUnsealed() {
        synchronized (batch) {
            for (PartitionLog output : outputs) {
                if (output.hasUnsealed()) {
                    return true;
                }
            }
            return false;
        }
    }

    @Override
    public boolean isDrained() {
        // The order matters. A seal by another thread between the two checks moves records from the
        // log to the queue; the opposite order would miss them. The failure is checked last,
        // because a queue that fails is emptied without a delivery.
        return !hasUnsealed() && queue.isSettled() && queue.failure() == null;
    }

    @Override
    public void seal() {
        if (hasUnsealed()) {
            batch.seal(SealReason.FLUSH);
        }
    }

    @Override
    public void flush(Duration timeout) {
        checkUsable();
        if (isDrained()) {
            return;
        }
        long deadline = time.nanos() + timeout.toNanos();
        synchronized (batch) {
            outputs.forEach(PartitionLog::retireIfIdle);
        }
        DeliveryQueue flushed = queue;
        flushed.setOwnerEmits(true);
        try {
            seal(deadline);
            awaitHanded(deadline, timeout);
            if (flushed.undelivered() > 0) {
                flushChannel();
            }
            awaitSettled(deadline, timeout);
            checkUsable();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException(
                    "Cannot flush lane " + name + ": the thread was interrupted. Nothing is lost: flush again.", e);
        } finally {
            flushed.setOwnerEmits(false);
        }
    }

    private void seal(long deadline) throws InterruptedException {
        if (hasUnsealed() && !batcher.groupCommit().joinOthers(this, deadline)) {
            batch.seal(SealReason.FLUSH);
        }
    }

    private void awaitHanded(long deadline, Duration timeout) throws InterruptedException {
        while (true) {
            long seen = progress.count();
            queue.emit();
            checkUsable();
            if (queue.unsent() == 0) {
                return;
            }
            if (!progress.await(seen, deadline)) {
                throw tooLate("stored and handed to the channel", timeout);
            }
        }
    }

    private void flushChannel() {
        try {
            channel.flush();
        } catch (WaitInterruptedException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            queue.fail(new DeliveryFailedException(
                    "Cannot flush lane " + name + ": the channel failed. Roll back to the last commit.", e));
            if (e instanceof Error error) {
                throw error;
            }
        }
    }

    private void awaitSettled(long deadline, Duration timeout) throws InterruptedException {
        while (true) {
            long seen = progress.count();
            checkUsable();
            if (queue.isSettled()) {
                return;
            }
            if (!progress.await(seen, deadline)) {
                throw tooLate("acknowledged by the channel and durable", timeout);
            }
        }
    }

    private RuntimeException tooLate(String what, Duration timeout) {
        return failed(new DeadlineExceededException("Cannot flush lane " + name + ": "
                + Math.max(queue.undelivered(), queue.early()) + " segments were not " + what + " within "
                + timeout.toMillis()
                + " ms. Roll back to the last commit, and check the store and the channel."));
    }

    /** Stores a failure, unless one is stored already, and returns the stored one. */
    private RuntimeException failed(RuntimeException failure) {
        queue.fail(failure);
        RuntimeException first = queue.failure();
        return first == null ? failure : first;
    }

    @Override
    public void discard() {
        DeliveryQueue old = queue;
        synchronized (batch) {
            if (hasEnded) {
                return;
            }
            for (PartitionLog output : outputs) {
                output.retire();
                output.drop();
            }
            queue = newQueue();
        }
        old.abandon();
    }

    @Override
    public void giveUp() {
        DeliveryQueue current;
        synchronized (batch) {
            current = queue;
        }
        current.fail(new ClosedException("Cannot continue in lane " + name + ": another thread closes it."));
    }

    @Override
    public void close() {
        if (end()) {
            queue.abandon();
            batcher.remove(this);
        }
    }

    /**
     * Ends the lane from any thread: later calls fail, nothing is sent, and all memory is released.
     * @return false if the lane had already ended
     */
    boolean end() {
        DeliveryQueue last;
        synchronized (batch) {
            if (hasEnded) {
                return false;
            }
            hasEnded = true;
            for (PartitionLog output : outputs) {
                output.drop();
                output.end();
            }
            pool.removeOutputs(outputs.size());
            outputs.clear();
            last = queue;
        }
        last.fail(new ClosedException("Cannot use lane " + name + ": it is closed. Open another one."));
        return true;
    }
}
