package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.OwnedPartition;
import dev.blobshuffle.messaging.TopicPartition;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One partition that a member reads, under one generation. Owned by the subscriber's thread.
 *
 * <pre>
 *   STARTING ──the log says where──▶ READING ──wanted by another──▶ LEAVING ──committed, or time is up──▶ released
 *       ▲───────────seek──────────────┘
 * </pre>
 */
final class PartitionReading {
    final TopicPartition named;
    final LogPartition numbered;

    /** The partition in the engine's type. */
    final Partition partition;

    final long generation;

    /** Where reading begins; empty: it has begun. */
    Optional<Start> start;

    /** Whether the start is a seek, whose position a commit needs. */
    boolean isSought;

    /** Whether the last seek is not committed yet. */
    boolean isSoughtUncommitted;

    /** Whether there is an anchor. A seek or an assignment starts without one. */
    private boolean isAnchored;

    /** The first record to queue, unless its stream is further ahead. */
    LogPosition from = LogPosition.START;

    /** Where reading restarts after a rollback: the last commit, or the start. */
    LogPosition anchor = LogPosition.START;

    OptionalLong committed;
    long committedNanos;

    /** Whether the group's start is known, but not committed yet. */
    boolean isStartUncommitted;

    /** Whether records were returned after the anchor. */
    boolean isDelivered;

    /**
     * Whether the application must learn about a loss, because it can no longer commit the records.
     */
    boolean isForfeitable;

    boolean isPaused;
    boolean isLeaving;
    long leavingSince;

    /** Bytes of plain records in the queue. */
    long plainBytes;

    /** The failure that stops reading until a seek. */
    @Nullable
    RuntimeException failure;

    /** The stream that feeds it; null while it starts, is paused, leaves or has failed. */
    @Nullable
    TopicStream stream;

    PartitionReading(LogTopic topic, OwnedPartition owned, long nowNanos) {
        named = new TopicPartition(topic.name(), owned.partition().partition());
        numbered = owned.partition();
        partition = new Partition(topic.name(), owned.partition().partition());
        generation = owned.generation();
        committed = owned.position();
        committedNanos = nowNanos;
        start = Optional.of(
                committed.isPresent() ? new Start.At(LogPosition.of(committed.getAsLong())) : new Start.Unknown());
    }

    /** The first record that is not queued yet. */
    LogPosition next() {
        TopicStream feeding = stream;
        LogPosition reached = feeding == null ? from : new LogPosition(feeding.position(), 0);
        return reached.compareTo(from) > 0 ? reached : from;
    }

    /**
     * Moves reading to another place, for the application. Its queue must be empty, and no stream
     * may feed it.
     */
    void seek(Start where) {
        start = Optional.of(where);
        failure = null;
        isSought = true;
        isSoughtUncommitted = true;
        isAnchored = false;
        isStartUncommitted = false;
    }

    /** Called when the log has determined where reading begins. */
    void started(LogPosition position) {
        start = Optional.empty();
        isSought = false;
        from = position;
        if (!isAnchored) {
            isAnchored = true;
            anchor = position;
            isDelivered = false;
        }
    }

    /** Called when the positions before this one are committed. */
    void committed(long position, long nowNanos) {
        committed = OptionalLong.of(position);
        committedNanos = nowNanos;
        anchor = LogPosition.of(position);
        isDelivered = false;
        isForfeitable = false;
        isStartUncommitted = false;
        isSoughtUncommitted = false;
    }
}
