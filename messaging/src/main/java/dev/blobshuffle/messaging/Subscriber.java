package dev.blobshuffle.messaging;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A member of a consumer group: reads the partitions that the group gives to it. Owned by one
 * thread, except {@link #wakeUp} and {@link #close}. Its lease is renewed in the background, so the
 * time between polls does not matter to the group.
 */
public interface Subscriber<K, V> extends AutoCloseable {
    /** The group. */
    String group();

    /**
     * The next records, in order per partition. Waits until there is one.
     *
     * @param wait the longest wait; then it returns no record
     * @throws dev.blobshuffle.log.failure.PositionTrimmed fatal: retention has passed a position,
     *     and the reset policy is {@code ERROR}; seek
     * @throws dev.blobshuffle.log.failure.LogWentBack fatal: the log has lost commits
     * @throws UnreadableRecord fatal: a record cannot be deserialized, and the subscription names
     *     no topic for dead letters; seek past it
     * @throws dev.blobshuffle.core.failure.BlobMissing fatal: a blob that the log refers to is gone
     * @throws dev.blobshuffle.core.failure.BlobCorrupt fatal: a blob's bytes differ from the
     *     written ones
     */
    Records<K, V> poll(Duration wait);

    /**
     * Commits the positions after the last poll.
     *
     * @throws dev.blobshuffle.log.failure.ConsumerFenced recoverable: the group has given some of
     *     the partitions to another member; poll again
     * @throws dev.blobshuffle.log.failure.LogUnavailable recoverable: commit again
     */
    void commit();

    /**
     * Sends a record that the application cannot process to the dead letters of the subscription,
     * with headers that say where it was and why. The next commit waits until it is durable.
     *
     * @throws IllegalStateException the subscription names no topic for dead letters
     */
    void refuse(ReceivedRecord<K, V> record, Throwable reason);

    /** The partitions that this member owns now. */
    Set<TopicPartition> assignment();

    /** Stops returning records of partitions until {@link #resume}. */
    void pause(Collection<TopicPartition> partitions);

    /** Ends a pause. */
    void resume(Collection<TopicPartition> partitions);

    /** The next poll reads a partition from a position on, such as one of a received record. */
    void seek(TopicPartition partition, long position);

    /** The next poll reads partitions from their start. */
    void seekToStart(Collection<TopicPartition> partitions);

    /** The next poll reads partitions from their end. */
    void seekToEnd(Collection<TopicPartition> partitions);

    /**
     * The next poll reads partitions from the first record that was committed at a time or later.
     * Of a batch that was committed then, it reads all records.
     */
    void seekTo(Map<TopicPartition, Instant> times);

    /** The position of the next record to poll; empty: this member does not own the partition. */
    OptionalLong position(TopicPartition partition);

    /** For each owned partition, how many committed batches of its topic are not read yet. */
    Map<TopicPartition, Long> lag();

    /** Ends a poll that waits, with no record, or the next one. Any thread may call this. */
    void wakeUp();

    /**
     * Leaves the group and releases everything. Does not commit. Any thread may call this.
     * Idempotent.
     */
    @Override
    void close();
}
