package dev.blobshuffle.messaging;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A member of a consumer group: reads the partitions that the group assigns to it. Owned by one
 * thread, except {@link #wakeup} and {@link #close}. Its lease is renewed in the background, so
 * slow processing between polls does not end the lease ({@link Subscription#maxPollInterval()}
 * limits the time).
 */
public interface Subscriber<K, V> extends AutoCloseable {
    /** The group. */
    String group();

    /**
     * The next records, in order per partition. Waits until there is a record.
     *
     * @param wait the longest wait; then it returns no records
     * @throws dev.blobshuffle.log.failure.PositionTrimmedException fatal: retention has passed a
     *     position, and the reset policy is {@code ERROR}; seek
     * @throws dev.blobshuffle.log.failure.LogWentBackException fatal: the log has lost commits
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException recoverable: the log has
     *     refused the password or a right for 30 seconds; poll again once it is restored
     * @throws UnreadableRecordException fatal: a record cannot be deserialized, and the
     *     subscription has no topic for dead letters; seek past it
     * @throws dev.blobshuffle.core.failure.BlobMissingException fatal: a blob that the log refers
     *     to is gone
     * @throws dev.blobshuffle.core.failure.BlobCorruptException fatal: a blob's bytes differ from
     *     the written ones
     */
    Records<K, V> poll(Duration wait);

    /**
     * Commits the positions after the last poll.
     *
     * @throws dev.blobshuffle.log.failure.ConsumerFencedException recoverable: the group has
     *     assigned some of the partitions to another member; poll again
     * @throws dev.blobshuffle.log.failure.LogUnavailableException recoverable: commit again
     */
    void commit();

    /**
     * Sends a record that the application cannot process to the dead letters of the subscription,
     * with headers for its origin and the reason. The next commit waits until it is durable.
     *
     * @throws IllegalStateException the subscription has no topic for dead letters
     */
    void refuse(ReceivedRecord<K, V> record, Throwable reason);

    /** The partitions that this member owns now. */
    Set<TopicPartition> assignment();

    /** Stops returning records of partitions until {@link #resume}. */
    void pause(Collection<TopicPartition> partitions);

    /** Ends a pause. */
    void resume(Collection<TopicPartition> partitions);

    /** Moves a partition to a position, such as that of a received record, for the next poll. */
    void seek(TopicPartition partition, long position);

    /** Moves partitions to their start for the next poll. */
    void seekToBeginning(Collection<TopicPartition> partitions);

    /** Moves partitions to their end for the next poll. */
    void seekToEnd(Collection<TopicPartition> partitions);

    /**
     * Moves partitions to the first record that was committed at or after a time, for the next
     * poll. A batch is committed as a whole, so all its records count.
     */
    void seekTo(Map<TopicPartition, Instant> times);

    /** The position of the next record to poll; empty: this member does not own the partition. */
    OptionalLong position(TopicPartition partition);

    /** The number of committed and unread batches of the topic, for each owned partition. */
    Map<TopicPartition, Long> lag();

    /** Ends a waiting poll, without a record, or the next poll. Any thread may call this. */
    void wakeup();

    /**
     * Leaves the group and releases everything. Does not commit. Any thread may call this.
     * Idempotent.
     */
    @Override
    void close();
}
