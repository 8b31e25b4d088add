package dev.blobshuffle.kafka.internal.consume;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application's consumer interceptors. They get original records and virtual offsets. The real
 * consumer, which handles notifications, has no interceptors. As in Kafka, the exception of an
 * interceptor is logged and ignored. Owned by the consumer's thread.
 */
public final class ConsumerInterceptorChain<K, V> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConsumerInterceptorChain.class);

    private final List<ConsumerInterceptor<K, V>> interceptors;

    public ConsumerInterceptorChain(List<ConsumerInterceptor<K, V>> interceptors) {
        this.interceptors = List.copyOf(interceptors);
    }

    boolean isEmpty() {
        return interceptors.isEmpty();
    }

    public ConsumerRecords<K, V> onConsume(ConsumerRecords<K, V> records) {
        ConsumerRecords<K, V> intercepted = records;
        for (ConsumerInterceptor<K, V> interceptor : interceptors) {
            try {
                intercepted = interceptor.onConsume(intercepted);
            } catch (RuntimeException e) {
                LOG.warn(
                        "Interceptor {} failed on consumed records; they pass without it.",
                        interceptor.getClass().getName(),
                        e);
            }
        }
        return intercepted;
    }

    void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        for (ConsumerInterceptor<K, V> interceptor : interceptors) {
            try {
                interceptor.onCommit(offsets);
            } catch (RuntimeException e) {
                LOG.warn(
                        "Interceptor {} failed on a commit.",
                        interceptor.getClass().getName(),
                        e);
            }
        }
    }

    @Override
    public void close() {
        interceptors.forEach(interceptor -> Utils.closeQuietly(interceptor, "consumer interceptor"));
    }
}
