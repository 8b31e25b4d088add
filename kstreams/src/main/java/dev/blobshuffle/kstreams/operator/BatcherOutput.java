package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.internal.shuffle.Lane;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A Batcher's output to one partition. Owned by the stream thread. */
final class BatcherOutput<K> {
    /** The lane's output; replaced when the partition's reader moves to another zone. */
    Lane.Output lane;

    /**
     * A key of this partition. The notification has this key, because Kafka Streams drops records
     * without a key.
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
     * Adds a record's timestamp. @return whether the records since {@link #restart()} would now be
     * further apart than the limit
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

    /** Starts a new segment: everything appended is sealed. */
    void restart() {
        isFresh = true;
    }
}
