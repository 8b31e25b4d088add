package dev.blobshuffle.kafka;

import java.util.Map;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/** Makes the parts of a plain application's producer from its settings. Stateless. */
final class ProducerOpening {
    private ProducerOpening() {}

    static <K, V> ProducerParts<K, V> open(
            Map<String, ?> settings, @Nullable Serializer<K> keys, @Nullable Serializer<V> values) {
        throw new UnsupportedOperationException("Not yet: " + settings.size() + keys + values);
    }
}
