package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.log.failure.LogWentBack;
import dev.blobshuffle.log.failure.PositionTrimmed;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.ResetPolicy;
import dev.blobshuffle.messaging.TopicPartition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a member must read a partition that it owns. */
final class ModelReading {
    final ModelTopic topic;
    final int partition;

    /** The next record to return. */
    private int next;

    /** The position is here, or between here and the next record. */
    private long from;

    /** Where a roll-back goes. */
    private int anchor;

    private long anchorFrom;

    /** Where it begins at the next call; null: it has begun, or cannot. */
    private @Nullable Start start;

    boolean isPaused;

    /** Whether records were returned after the last commit. */
    boolean isDelivered;

    /** Whether a loss fences the next commit, whatever was sought since. */
    boolean isForfeitable;

    /** Whether a seek is not committed. */
    boolean isSought;

    /** Why it cannot be read. */
    private @Nullable Class<?> failure;

    /** Where to begin, of which only one is given. */
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

    /** The group had no position, and begins where the policy says. */
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

    /** Finds where it begins, with the topic as it is now. */
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
            failure = LogWentBack.class;
        } else if (isReset && policy == ResetPolicy.ERROR) {
            failure = PositionTrimmed.class;
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

    /** Records that polls must return now. */
    int available() {
        return isPaused || failure != null ? 0 : records().size() - next;
    }

    /** Records that it has not returned, paused or not. */
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

    /** The least that its position may be. */
    long least() {
        return from;
    }

    /** The most that its position may be. */
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
