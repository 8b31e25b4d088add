package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.ResetPolicy;
import dev.blobshuffle.messaging.TopicPartition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The expected reading of a partition by its owner. */
final class ModelReading {
    final ModelTopic topic;
    final int partition;

    /** The next record to return. */
    private int next;

    /** The position is between this one and the next record. */
    private long from;

    /** The record to return to after a rollback. */
    private int anchor;

    private long anchorFrom;

    /** The start at the next call; null: it has begun, or cannot begin. */
    private @Nullable Start start;

    boolean isPaused;

    /** Whether records were returned after the last commit. */
    boolean isDelivered;

    /** Whether a loss fences the next commit, even after a seek. */
    boolean isForfeitable;

    /** Whether a seek is not committed yet. */
    boolean isSought;

    /** The failure that stops reading. */
    private @Nullable Class<?> failure;

    /** The kind of start. */
    enum Place {
        AT,
        START,
        END,
        NOWHERE
    }

    private record Start(Place place, long position) {}

    ModelReading(ModelTopic topic, int partition, @Nullable Long committed) {
        this.topic = topic;
        this.partition = partition;
        start = committed == null ? new Start(Place.NOWHERE, 0) : new Start(Place.AT, committed);
    }

    TopicPartition name() {
        return new TopicPartition(topic.name, partition);
    }

    /** Whether the group had no position, and begins where the policy says. */
    boolean isUnknown() {
        return start != null && start.place == Place.NOWHERE;
    }

    void seek(Place place, long position) {
        start = new Start(place, position);
        failure = null;
        isSought = true;
    }

    void rollBack() {
        if (isDelivered) {
            next = anchor;
            from = anchorFrom;
            start = null;
            failure = null;
            isDelivered = false;
            isForfeitable = false;
            isSought = false;
        }
    }

    /** Resolves the start with the current topic. */
    void resolve(ResetPolicy policy) {
        Start wanted = start;
        start = null;
        if (wanted == null) {
            return;
        }
        long end = ModelTopic.at(topic.next());
        long least = ModelTopic.at(topic.start);
        boolean isReset = wanted.place == Place.NOWHERE || (wanted.place == Place.AT && wanted.position < least);
        if (wanted.place == Place.AT && wanted.position > end) {
            failure = LogWentBackException.class;
        } else if (isReset && policy == ResetPolicy.ERROR) {
            failure = PositionTrimmedException.class;
        } else if (isReset) {
            begin(policy == ResetPolicy.EARLIEST ? least : end);
        } else {
            begin(
                    switch (wanted.place) {
                        case AT -> wanted.position;
                        case START -> least;
                        default -> end;
                    });
        }
    }

    private void begin(long position) {
        from = position;
        next = topic.indexOf(partition, position);
        isDelivered = false;
        anchorFrom = from;
        anchor = next;
    }

    @Nullable
    Class<?> failure() {
        return failure;
    }

    private List<ModelRecord> records() {
        return topic.records(partition);
    }

    /** Number of records that polls must return now. */
    int available() {
        return isPaused || failure != null ? 0 : records().size() - next;
    }

    /** Whether all records were returned, paused or not. */
    boolean isExhausted() {
        return next >= records().size();
    }

    /** Takes a record that a poll returned. */
    void take(ReceivedRecord<byte[], byte[]> received) {
        if (available() == 0) {
            throw new AssertionError(name() + " returned a record at " + received.position() + ", and has none"
                    + (isPaused ? ": it is paused." : "."));
        }
        ModelRecord record = records().get(next);
        String difference = record.difference(received);
        if (!difference.isEmpty()) {
            throw new AssertionError(name() + " returned a record for " + record + " with " + difference + ".");
        }
        next++;
        from = record.position + 1;
        isDelivered = true;
        isForfeitable = true;
    }

    /** The least possible position. */
    long least() {
        return from;
    }

    /** The greatest possible position. */
    long most() {
        return isExhausted()
                ? Math.max(from, ModelTopic.at(topic.next()))
                : records().get(next).position;
    }

    /** The most batches that it may lag behind. */
    long mostLag() {
        return topic.next() - LogPosition.of(from).sequence();
    }

    void committed(long position) {
        isDelivered = false;
        isForfeitable = false;
        isSought = false;
        anchor = next;
        anchorFrom = position;
    }
}
