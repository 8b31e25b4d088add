package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.kafka.internal.position.DeliveredRange;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The state of one assigned partition whose records are queued. Owned by the consumer's thread. */
public final class PartitionProgress {
    /** The partition in Kafka's type. */
    final TopicPartition kafka;

    /** The partition in the engine's type. */
    final Partition partition;

    /** Whether its topic shuffles through blobs, so that its offsets are virtual. */
    final boolean virtual;

    /** The returned offsets, as far as commits need them. */
    public final DeliveredRange delivered = new DeliveredRange();

    /**
     * Whether the start position is known. The real consumer knows only the real offset, not the
     * index in the segment.
     */
    boolean started;

    /**
     * Whether it was revoked or lost, although the real consumer still has it in its assignment. A
     * leaving partition is never started: if it comes back, that is another assignment with its own
     * start.
     */
    final boolean leaving;

    /** Paused by the user. */
    public boolean pausedByUser;

    /** Paused by this client, because its queue is full or its start is unknown. */
    boolean pausedInside;

    /** The start inside a segment, until the first record has arrived. */
    private @Nullable Start start;

    /** The real consumer's next offset, according to its last report. */
    private @Nullable OffsetAndMetadata realNext;

    private long offeredEnd;

    /** The offset from which the real consumer reads, if it was set. */
    private long startReal;

    /** Records of the first notification before this time are skipped. */
    private OptionalLong notBefore = OptionalLong.empty();

    private OptionalLong firstReal = OptionalLong.empty();

    /** Leader epoch of the last returned record. */
    private Optional<Integer> epoch = Optional.empty();

    PartitionProgress(TopicPartition kafka, boolean virtual, boolean leaving) {
        this.kafka = kafka;
        this.leaving = leaving;
        this.virtual = virtual;
        this.partition = new Partition(kafka.topic(), kafka.partition());
        this.started = !virtual && !leaving;
    }

    /** Reading starts, or continues, at an index of a real offset. */
    public void startAt(long real, int index) {
        started = true;
        start = index > 0 ? new Start(real, index) : null;
        realNext = new OffsetAndMetadata(real);
        reset();
        startReal = real;
    }

    /** Reading starts at the real consumer's position. */
    public void startWhereRealIs() {
        started = true;
        start = null;
        realNext = null;
        reset();
    }

    /**
     * After {@link #startWhereRealIs()}: the real consumer starts at the first notification with a
     * record at or after this time, and reading starts at that record.
     */
    void startNotBefore(long timestamp) {
        notBefore = OptionalLong.of(timestamp);
        firstReal = OptionalLong.empty();
    }

    /** The time at which reading starts, until its record was found. */
    OptionalLong notBefore() {
        return notBefore;
    }

    /** Whether a record is before the time at which reading starts. */
    boolean isBeforeStart(long real, long timestamp) {
        if (notBefore.isEmpty()) {
            return false;
        }
        if (firstReal.isEmpty()) {
            firstReal = OptionalLong.of(real);
        }
        if (real != firstReal.getAsLong() || timestamp >= notBefore.getAsLong()) {
            notBefore = OptionalLong.empty();
        }
        return notBefore.isPresent();
    }

    private void reset() {
        notBefore = OptionalLong.empty();
        startReal = 0;
        offeredEnd = 0;
        epoch = Optional.empty();
        delivered.reset();
    }

    /** The index at which reading starts if the next record is at the given offset. */
    int startIndex(long real) {
        Start pending = start;
        return pending != null && pending.real == real ? pending.index : 0;
    }

    /** Called when the record at an offset is queued. The first one ends the start. */
    void offered(long real) {
        offeredEnd = real + 1;
        start = null;
    }

    /** Whether an arriving record comes before the position: the real consumer was reset. */
    boolean isBack(long real) {
        return real < offeredEnd || real < startReal;
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

    /** A position in the caller's offsets. */
    OffsetAndMetadata position(long real, int index) {
        return new OffsetAndMetadata(offset(real, index), epoch, "");
    }

    /** An offset as the caller sees it. */
    long offset(long real, int index) {
        return virtual ? VirtualOffset.of(real, index) : real;
    }

    private record Start(long real, int index) {}
}
