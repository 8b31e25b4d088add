package dev.blobshuffle.kafka;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/** Makes the parts of a plain application's consumer from its settings. Stateless. */
final class ConsumerOpening {
    /** Kafka's default of {@code default.api.timeout.ms}. */
    static final Duration DEFAULT_API_TIMEOUT = Duration.ofMinutes(1);

    private ConsumerOpening() {}

    static <K, V> ConsumerParts<K, V> open(
            Map<String, ?> settings, @Nullable Deserializer<K> keys, @Nullable Deserializer<V> values) {
        throw new UnsupportedOperationException("Not yet: " + settings.size() + keys + values);
    }
}
