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
 * What a {@link BlobConsumer} is made of.
 *
 * @param delegate the real consumer, owned
 * @param engine the engine, shared
 * @param wiring how they fit
 * @param deserializer the application's deserializers, owned
 * @param interceptors the application's interceptors, owned
 * @param autoCommit interval of the auto-commit; null if it is off
 * @param apiTimeout {@code default.api.timeout.ms}
 * @param readers makes consumers of the broker's records, for answers about times; null if nobody
 *     asks, then an answer is the start of a segment
 * @param resetAge how old the first record may be where nothing is committed; null without
 *     {@code auto.offset.reset=by_duration}
 * @param metrics the engine's metrics, to be shown with the client's
 * @param release what to do at the end: gives the engine back
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
        @Nullable Duration resetAge,
        Supplier<Map<MetricName, ? extends Metric>> metrics,
        Runnable release) {}
