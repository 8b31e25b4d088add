package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a {@link BlobConsumer}.
 *
 * @param delegate the real consumer, owned
 * @param engine the engine, shared
 * @param wiring connects the parts
 * @param deserializer the application's deserializers, owned
 * @param interceptors the application's interceptors, owned
 * @param autoCommit interval of the auto-commit; null if it is off
 * @param apiTimeout {@code default.api.timeout.ms}
 * @param readers makes consumers of the broker's records, for queries by time; null if there are no
 *     such queries, then an answer is the start of a segment
 * @param reset the start of partitions without a commit
 * @param metrics the engine's metrics, shown with the client's
 * @param release releases the engine at the end
 */
public record ConsumerParts<K, V>(
        Consumer<byte[], byte[]> delegate,
        Engine engine,
        ConsumerWiring wiring,
        RecordDeserializer<K, V> deserializer,
        ConsumerInterceptorChain<K, V> interceptors,
        @Nullable Duration autoCommit,
        Duration apiTimeout,
        @Nullable Supplier<Consumer<byte[], byte[]>> readers,
        Reset reset,
        Supplier<Map<MetricName, ? extends Metric>> metrics,
        Runnable release) {}
