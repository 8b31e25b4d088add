package dev.blobshuffle.core.shuffle;

import dev.blobshuffle.core.format.Partition;
import dev.blobshuffle.core.format.record.Headers;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One ordered output with its own transaction scope: a stream thread's producer, a Flink subtask, a publisher. Lanes of an instance share the
 * {@code Batcher}, so that one blob holds the records of all of them; order, failure and rollback are each lane's own. Owned by one thread (or by callers that
 * exclude each other).
 *
 * <p>A failure (an upload that ran out of time, a notification that the channel refused) sticks: every later {@code append} and {@code flush} throws it until
 * {@link #discard()}.
 */
public interface Lane extends AutoCloseable {
    /** The output for a partition whose readers are in a zone; the same object for the same partition until the zone changes. */
    Output output(Partition partition, Zone zone);

    /** Ends the batch: everything appended before starts on its way to the store. Does not wait. */
    void seal();

    /**
     * Makes everything appended before durable and delivered, in order.
     *
     * @throws dev.blobshuffle.core.failure.DeadlineExceeded recoverable: not done in time; the lane has failed, discard it
     * @throws dev.blobshuffle.core.failure.Interrupted recoverable: the thread was interrupted; nothing is lost, flush again
     * @throws dev.blobshuffle.core.failure.BlobShuffleException recoverable: the lane's stored failure
     */
    void flush(Duration timeout);

    /** Drops everything that is not delivered, forgets a failure, and returns the memory. Blobs already stored become orphans. After it nothing of the past is sent. */
    void discard();

    /** The failure that sticks, if there is one. */
    @Nullable
    RuntimeException failure();

    /** Whether everything appended is delivered. A lane that has failed is not drained. */
    boolean isDrained();

    /**
     * Ends what the owner waits for: the lane fails with {@code Closed}, and an append or flush under way throws that. From any thread, unlike the rest: for one that wants to close
     * the lane and finds its owner waiting.
     */
    void giveUp();

    /** Ends the lane abruptly: as {@link #discard()}, and later calls throw {@code Closed}. A graceful end is {@link #flush} and then this. Idempotent. */
    @Override
    void close();

    /** The lane's output to one partition. Owned as the lane is. */
    interface Output {
        /**
         * Copies a record into the batch. No allocation, lock or system call unless a buffer is full.
         *
         * @param timestamp milliseconds since the Unix epoch
         * @throws dev.blobshuffle.core.failure.MemoryExhausted recoverable: the write budget stayed full for the time an append may wait
         * @throws dev.blobshuffle.core.failure.Interrupted recoverable: the thread was interrupted; the record is not appended
         * @throws dev.blobshuffle.core.failure.BlobShuffleException recoverable: the lane's stored failure
         */
        void append(long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers);
    }
}
