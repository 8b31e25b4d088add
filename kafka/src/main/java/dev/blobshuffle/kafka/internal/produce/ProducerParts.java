package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * The parts of an application's {@link BlobProducer}.
 *
 * @param delegate the real producer, owned
 * @param engine the engine, shared
 * @param name names the lane: the client id
 * @param wiring connects the parts
 * @param serializer the application's serializers, owned
 * @param interceptors the application's interceptors, owned
 * @param partitioning the application's choice of partitions, owned
 * @param maxBlock how long a send may wait ({@code max.block.ms})
 * @param topicCheck called once for each matching topic before its first record; throws if the
 *     topic must not shuffle through blobs
 * @param partitionCount a topic's current number of partitions
 * @param metrics the engine's metrics, shown with the client's
 * @param release releases the engine at the end
 */
public record ProducerParts<K, V>(
        Producer<byte[], byte[]> delegate,
        Engine engine,
        String name,
        ProducerWiring wiring,
        RecordSerializer<K, V> serializer,
        ProducerInterceptorChain<K, V> interceptors,
        Partitioning partitioning,
        Duration maxBlock,
        Consumer<String> topicCheck,
        ToIntFunction<String> partitionCount,
        Supplier<Map<MetricName, ? extends Metric>> metrics,
        Runnable release) {}
