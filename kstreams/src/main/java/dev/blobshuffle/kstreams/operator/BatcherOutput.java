package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.internal.shuffle.Lane;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A Batcher's output to one partition. Owned by the stream thread. */
final class BatcherOutput<K> {
    /** Where records go; another one when the partition's reader is in another zone. */
    Lane.Output lane;

    /**
     * A key of this partition: the notification travels under it, because Kafka Streams drops
     * records without a key.
     */
    @Nullable
    K key;

    private long earliest;
    private long latest;
    private boolean isFresh = true;

    BatcherOutput(Lane.Output lane) {
        this.lane = lane;
    }

    /**
     * Takes note of a record's time. @return whether the records since {@link #restart()} would now
     * be further apart than they may
     */
    boolean exceeds(@Nullable Duration limit, long timestamp) {
        if (limit == null) {
            return false;
        }
        if (isFresh) {
            isFresh = false;
            earliest = timestamp;
            latest = timestamp;
            return false;
        }
        earliest = Math.min(earliest, timestamp);
        latest = Math.max(latest, timestamp);
        return latest - earliest > limit.toMillis();
    }

    /** What was appended is sealed: the next record begins a segment. */
    void restart() {
        isFresh = true;
    }
}
