package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.kafka.internal.position.DeliveredRange;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer knows of one assigned partition whose records it queues. Owned by the consumer's
 * thread.
 */
public final class PartitionProgress {
    /** The partition in Kafka's words. */
    final TopicPartition kafka;

    /** The same in the engine's. */
    final Partition partition;

    /** Whether its topic shuffles through blobs, so that its offsets are virtual. */
    final boolean virtual;

    /** What was handed out, as far as commits need to know. */
    public final DeliveredRange delivered = new DeliveredRange();

    /**
     * Whether it is known where reading starts: the real consumer knows the real offset only, not
     * the index inside.
     */
    boolean started;

    /**
     * Revoked or lost, although the real consumer still shows it in its assignment. It is not
     * started: if it comes back it is another assignment, with a start of its own.
     */
    final boolean leaving;

    /** Paused by the user. */
    public boolean pausedByUser;

    /** Paused by us, since its queue is full or its start is unknown. */
    boolean pausedInside;

    /** Where inside a segment reading starts, until the first record has come. */
    private @Nullable Start start;

    /** The real consumer's next offset, as it last reported. */
    private @Nullable OffsetAndMetadata realNext;

    private long offeredEnd;

    /** Records of the first notification before this time are passed; the least number: none. */
    private long notBefore = Long.MIN_VALUE;

    private OptionalLong firstReal = OptionalLong.empty();

    /** Leader epoch of the last record handed out. */
    private Optional<Integer> epoch = Optional.empty();

    PartitionProgress(TopicPartition kafka, boolean virtual, boolean leaving) {
        this.kafka = kafka;
        this.leaving = leaving;
        this.virtual = virtual;
        this.partition = new Partition(kafka.topic(), kafka.partition());
        this.started = !virtual && !leaving;
    }

    /** Reading starts, or goes on, at an index of a real offset. */
    public void startAt(long real, int index) {
        started = true;
        start = index > 0 ? new Start(real, index) : null;
        realNext = new OffsetAndMetadata(real);
        reset();
    }

    /** Reading starts where the real consumer says. */
    public void startWhereRealIs() {
        started = true;
        start = null;
        realNext = null;
        reset();
    }

    /**
     * After {@link #startWhereRealIs()}: the real consumer starts at the first notification with a
     * record of this time or later, and reading starts at that record.
     */
    void startNotBefore(long timestamp) {
        notBefore = timestamp;
        firstReal = OptionalLong.empty();
    }

    /** Whether a record lies before the time at which reading starts. */
    boolean isBeforeStart(long real, long timestamp) {
        if (notBefore == Long.MIN_VALUE) {
            return false;
        }
        if (firstReal.isEmpty()) {
            firstReal = OptionalLong.of(real);
        }
        if (real != firstReal.getAsLong() || timestamp >= notBefore) {
            notBefore = Long.MIN_VALUE;
        }
        return notBefore != Long.MIN_VALUE;
    }

    private void reset() {
        notBefore = Long.MIN_VALUE;
        offeredEnd = 0;
        epoch = Optional.empty();
        delivered.reset();
    }

    /** The index at which reading starts if the next record is the one of the given offset. */
    int startIndex(long real) {
        Start pending = start;
        return pending != null && pending.real == real ? pending.index : 0;
    }

    /** Notes that the record of an offset was queued; with the first one the start is over. */
    void offered(long real) {
        offeredEnd = real + 1;
        start = null;
    }

    /** Offsets below were queued already. */
    long offeredEnd() {
        return offeredEnd;
    }

    void realNext(OffsetAndMetadata next) {
        realNext = next;
    }

    @Nullable
    OffsetAndMetadata realNext() {
        return realNext;
    }

    public void delivered(long real, int count, Optional<Integer> recordEpoch) {
        if (virtual) {
            delivered.delivered(real, count);
        }
        epoch = recordEpoch;
    }

    /** A position as callers see it. */
    OffsetAndMetadata position(long real, int index) {
        return new OffsetAndMetadata(offset(real, index), epoch, "");
    }

    /** An offset as callers see it. */
    long offset(long real, int index) {
        return virtual ? VirtualOffset.of(real, index) : real;
    }

    private record Start(long real, int index) {}
}
