package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a shuffle. Immutable.
 *
 * @param name of the repartition topic and of the operators
 * @param partitions of the repartition topic
 * @param keys the keys' serde; null for the application's default
 * @param values the values' serde; null for the application's default
 * @param partitioner the application's choice of partitions; null for Kafka's, by the hash of the
 *     key
 * @param maxTimeSpan the longest time between the records of a segment, by their timestamps; null
 *     for no limit
 * @param settings {@code blobshuffle.*} settings of this shuffle, which override the application's
 */
record ShuffleDefinition<K, V>(
        String name,
        int partitions,
        @Nullable Serde<K> keys,
        @Nullable Serde<V> values,
        @Nullable StreamPartitioner<K, V> partitioner,
        @Nullable Duration maxTimeSpan,
        Map<String, Object> settings) {
    ShuffleDefinition {
        settings = Map.copyOf(settings);
        if (name.isBlank() || partitions < 1) {
            throw new InvalidSettingsException(
                    "Cannot shuffle: the name is '" + name + "' and the number of partitions " + partitions
                            + ". Give a name that is unique in the topology, and 1 or more partitions.");
        }
        if (maxTimeSpan != null && maxTimeSpan.isNegative()) {
            throw new InvalidSettingsException(
                    "Cannot shuffle " + name + ": maxTimeSpan is " + maxTimeSpan.toMillis() + " ms. Give 0 or more.");
        }
    }

    String batcherGate() {
        return name + "-batcher-gate";
    }

    String debatcherGate() {
        return name + "-debatcher-gate";
    }

    /** The name that Kafka Streams gives the repartition topic. */
    String topic(ProcessingContext context) {
        return context.applicationId() + "-" + name + "-repartition";
    }

    @SuppressWarnings("unchecked") // The default serde is the application's promise, as everywhere in Kafka Streams.
    Serde<K> keySerde(ProcessingContext context) {
        return keys != null ? keys : (Serde<K>) context.keySerde();
    }

    @SuppressWarnings("unchecked") // As above.
    Serde<V> valueSerde(ProcessingContext context) {
        return values != null ? values : (Serde<V>) context.valueSerde();
    }
}
