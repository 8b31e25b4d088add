package dev.blobshuffle.kafka.internal.produce;

import java.util.Map;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The application's choice of partitions: {@code partitioner.class} and
 * {@code partitioner.ignore.keys}. It makes the choice that Kafka's own producer would make.
 * Guarded as the producer's lane is.
 *
 * @param custom the application's partitioner, owned; null for Kafka's default
 * @param keys whether the default looks at keys
 */
public record Partitioning(@Nullable Partitioner custom, Keys keys) implements AutoCloseable {
    /** Kafka's default: by the key's hash. */
    static final Partitioning DEFAULT = new Partitioning(null, Keys.HASHED);

    /** What the default partitioner does with keys. */
    public enum Keys {
        /** Records of a key go to its partition. */
        HASHED,
        /** All records go where records without key go. */
        IGNORED
    }

    /**
     * The choice that a producer's settings name.
     *
     * @param forPlugins what a partitioner is configured with
     */
    static Partitioning of(AbstractConfig config, Map<String, Object> forPlugins) {
        boolean ignored = config.getBoolean(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG);
        Partitioner custom = config.getClass(ProducerConfig.PARTITIONER_CLASS_CONFIG) == null
                ? null
                : config.getConfiguredInstance(ProducerConfig.PARTITIONER_CLASS_CONFIG, Partitioner.class, forPlugins);
        return new Partitioning(custom, ignored ? Keys.IGNORED : Keys.HASHED);
    }

    /**
     * The partition of a record that names none itself. The record's own key and value reach the
     * application's partitioner beside their bytes.
     *
     * @param batches batches sent so far: with each, records without key move to another partition
     * @throws IllegalArgumentException fatal: the application's partitioner chose a negative number
     */
    int choose(
            TopicOutput topic,
            ProducerRecord<?, ?> record,
            byte @Nullable [] key,
            byte @Nullable [] value,
            long batches) {
        Partitioner partitioner = custom;
        if (partitioner == null) {
            return topic.partition(keys == Keys.HASHED ? key : null, batches);
        }
        int chosen = partitioner.partition(record.topic(), record.key(), key, record.value(), value, topic.cluster());
        if (chosen < 0) {
            throw new IllegalArgumentException("Cannot send to " + record.topic() + ": "
                    + partitioner.getClass().getName() + " chose partition " + chosen
                    + ". Let it choose 0 or more.");
        }
        return chosen;
    }

    @Override
    public void close() {
        if (custom != null) {
            Utils.closeQuietly(custom::close, "partitioner");
        }
    }
}
