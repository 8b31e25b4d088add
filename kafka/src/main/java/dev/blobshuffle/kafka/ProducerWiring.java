package dev.blobshuffle.kafka;

import dev.blobshuffle.core.membership.ZoneMap;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;

/**
 * How a {@link BlobProducer} is put around a ready producer.
 *
 * @param mode who drives it
 * @param topics which topics shuffle through blobs
 * @param writes whether their records go into blobs, or plain until every reader knows blobs
 * @param transactional whether the producer has a {@code transactional.id}
 * @param flushTimeout longest wait for a drain; keep it below the transaction timeout and {@code max.poll.interval.ms}
 * @param pair the stream thread's pair, or {@link ClientPair#alone()}
 * @param zones where the readers of partitions are
 * @param time clock
 */
public record ProducerWiring(
        Mode mode,
        TopicMatcher topics,
        Writes writes,
        boolean transactional,
        Duration flushTimeout,
        ClientPair pair,
        ZoneMap zones,
        Time time) {
    /** Checks the timeout. */
    public ProducerWiring {
        if (flushTimeout.isNegative() || flushTimeout.isZero()) {
            throw new IllegalArgumentException(
                    "Cannot wire a producer: flush timeout " + flushTimeout + " must be positive.");
        }
    }

    /** What becomes of records of matching topics. */
    public enum Writes {
        /** They go into blobs. */
        BLOBS,
        /** They are sent as they are: the first step of rolling in, and the first of rolling out. */
        PLAIN
    }
}
