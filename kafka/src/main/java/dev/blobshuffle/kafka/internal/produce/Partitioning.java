package dev.blobshuffle.kafka.internal.produce;

import java.util.Map;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Chooses partitions as Kafka's own producer would, by {@code partitioner.class} and
 * {@code partitioner.ignore.keys}. Guarded by its producer's lane.
 *
 * @param custom the application's partitioner, owned; null for Kafka's default
 * @param keys whether the default uses keys
 */
public record Partitioning(@Nullable Partitioner custom, Keys keys) implements AutoCloseable {
    /** Kafka's default: by the hash of the key. */
    static final Partitioning DEFAULT = new Partitioning(null, Keys.HASHED);

    /** How the default partitioner uses keys. */
    public enum Keys {
        /** All records of a key go to the same partition. */
        HASHED,
        /** All records are treated as records without a key. */
        IGNORED
    }

    /**
     * The partitioning that a producer's settings name.
     *
     * @param forPlugins the settings for the partitioner
     */
    static Partitioning of(AbstractConfig config, Map<String, Object> forPlugins) {
        boolean ignored = config.getBoolean(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG);
        Partitioner custom = config.getClass(ProducerConfig.PARTITIONER_CLASS_CONFIG) == null
                ? null
                : config.getConfiguredInstance(ProducerConfig.PARTITIONER_CLASS_CONFIG, Partitioner.class, forPlugins);
        return new Partitioning(custom, ignored ? Keys.IGNORED : Keys.HASHED);
    }

    /**
     * The partition of a record that names none. The application's partitioner gets the record's
     * key and value as objects and as bytes.
     *
     * @param batches number of batches sent so far; records without a key move to another partition
     *     with each batch
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
