package dev.blobshuffle.kafka;

import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The application's choice of partitions: {@code partitioner.class} and {@code partitioner.ignore.keys}, taken over from the real producer, which sees bytes only.
 * Guarded as the producer's lane is.
 *
 * @param custom the application's partitioner, owned; null for Kafka's default
 * @param keys whether the default looks at keys
 */
record Partitioning(@Nullable Partitioner custom, Keys keys) implements AutoCloseable {
    /** What the default partitioner does with keys. */
    enum Keys {
        /** Records of a key go to its partition. */
        HASHED,
        /** All records go where records without key go. */
        IGNORED
    }

    @Override
    public void close() {
        if (custom != null) {
            Utils.closeQuietly(custom::close, "partitioner");
        }
    }
}
