package dev.blobshuffle.core.internal.shuffle;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One ordered output with its own transaction scope: a stream thread's producer, a Flink subtask, a
 * publisher. The lanes of an instance share the {@code Batcher}, so one blob holds the records of
 * all of them. Order, failure and rollback are separate per lane. Owned by one thread (or by
 * callers that exclude each other).
 *
 * <p>A failure (an upload that timed out, a notification that the channel refused) is stored. Every
 * later {@code append} and {@code flush} throws it until {@link #discard()}.
 */
public interface Lane extends AutoCloseable {
    /**
     * The output for a partition whose readers are in a zone. Returns the same object for a
     * partition until its zone changes.
     */
    Output output(Partition partition, Zone zone);

    /**
     * Ends the output of a partition and releases its memory. Does nothing if it has records that
     * are not sealed. The output must not be used afterwards; {@link #output} opens another.
     *
     * @return whether the lane has no output of the partition any more
     */
    boolean forget(Partition partition);

    /** Ends the batch and starts the upload of everything appended before. Does not wait. */
    void seal();

    /**
     * Makes everything appended before durable and delivered, in order.
     *
     * @throws dev.blobshuffle.core.failure.DeadlineExceededException recoverable: not done in time;
     *     the lane has failed, discard it
     * @throws dev.blobshuffle.core.failure.WaitInterruptedException recoverable: the thread was
     *     interrupted; nothing is lost, flush again
     * @throws dev.blobshuffle.core.failure.BlobShuffleException recoverable: the lane's stored
     *     failure
     */
    void flush(Duration timeout);

    /**
     * Drops all undelivered records, clears a failure, and releases the memory. Stored blobs become
     * orphans. No earlier record is sent afterwards.
     */
    void discard();

    /** The stored failure, if any. */
    @Nullable
    RuntimeException failure();

    /** Whether everything appended is delivered. A lane that has failed is not drained. */
    boolean isDrained();

    /**
     * Interrupts the owner's wait: the lane fails with {@code ClosedException}, and a running
     * append or flush throws it. Unlike the other methods, this one may be called by any thread. It
     * serves a thread that closes the lane while the owner waits.
     */
    void giveUp();

    /**
     * Ends the lane abruptly: as {@link #discard()}, and later calls throw {@code ClosedException}.
     * For a graceful end, call {@link #flush} first. Idempotent.
     */
    @Override
    void close();

    /** The lane's output to one partition. Owned as the lane is. */
    interface Output {
        /**
         * Copies a record into the batch. Performs no allocation, lock or system call unless a
         * buffer is full.
         *
         * @param timestamp milliseconds since the Unix epoch
         * @throws dev.blobshuffle.core.failure.RecordTooLargeException fatal for this record: it is
         *     larger than a record may be; the lane goes on without it
         * @throws dev.blobshuffle.core.failure.MemoryExhaustedException recoverable: the write
         *     budget stayed full for the time an append may wait
         * @throws dev.blobshuffle.core.failure.WaitInterruptedException recoverable: the thread was
         *     interrupted; the record is not appended
         * @throws dev.blobshuffle.core.failure.BlobShuffleException recoverable: the lane's stored
         *     failure
         */
        void append(long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers);

        /**
         * As {@link #append(long, byte[], byte[], Headers)}, for a record that is a value only, in
         * a part of an array. The caller may change the array afterwards. By default the part is
         * copied.
         */
        default void append(long timestamp, byte[] array, int offset, int length) {
            append(timestamp, null, Arrays.copyOfRange(array, offset, offset + length), Headers.NONE);
        }
    }
}
