package dev.blobshuffle.kafka.internal.produce;

import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application's producer interceptors. They get original records and virtual offsets. The real
 * producer, which handles notifications, has no interceptors. As in Kafka, the exception of an
 * interceptor is logged and ignored. Thread-safe if the interceptors are, as Kafka requires.
 */
public final class ProducerInterceptorChain<K, V> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProducerInterceptorChain.class);

    /** Whether this Kafka release passes the headers to interceptors (KIP-512, since 4.1). */
    private static final boolean WITH_HEADERS = Arrays.stream(ProducerInterceptor.class.getMethods())
            .anyMatch(method -> method.getName().equals("onAcknowledgement") && method.getParameterCount() == 3);

    private final List<ProducerInterceptor<K, V>> interceptors;

    public ProducerInterceptorChain(List<ProducerInterceptor<K, V>> interceptors) {
        this.interceptors = List.copyOf(interceptors);
    }

    public boolean isEmpty() {
        return interceptors.isEmpty();
    }

    ProducerRecord<K, V> onSend(ProducerRecord<K, V> record) {
        ProducerRecord<K, V> intercepted = record;
        for (ProducerInterceptor<K, V> interceptor : interceptors) {
            try {
                intercepted = interceptor.onSend(intercepted);
            } catch (RuntimeException e) {
                LOG.warn(
                        "Interceptor {} failed on a send; the record passes without it.",
                        interceptor.getClass().getName(),
                        e);
            }
        }
        return intercepted;
    }

    void onAcknowledgement(RecordMetadata metadata, @Nullable Exception failure, Headers headers) {
        for (ProducerInterceptor<K, V> interceptor : interceptors) {
            try {
                if (WITH_HEADERS) {
                    interceptor.onAcknowledgement(metadata, failure, headers);
                } else {
                    interceptor.onAcknowledgement(metadata, failure);
                }
            } catch (RuntimeException e) {
                LOG.warn(
                        "Interceptor {} failed on an acknowledgement.",
                        interceptor.getClass().getName(),
                        e);
            }
        }
    }

    /** Called when a send throws. */
    void onSendError(ProducerRecord<K, V> record, Exception failure) {
        if (!isEmpty() && record != null) { // Kafka refuses null.
            int partition = record.partition() == null ? RecordMetadata.UNKNOWN_PARTITION : record.partition();
            TopicPartition shown = new TopicPartition(record.topic(), partition);
            onAcknowledgement(new RecordMetadata(shown, -1, -1, -1, -1, -1), failure, record.headers());
        }
    }

    @Override
    public void close() {
        interceptors.forEach(interceptor -> Utils.closeQuietly(interceptor, "producer interceptor"));
    }
}
