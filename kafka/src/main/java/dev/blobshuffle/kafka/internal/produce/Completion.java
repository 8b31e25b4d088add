package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of one send: completes the application's future, and calls its callback and its
 * interceptors. Ends once. As in Kafka's producer, the callback runs before the future completes.
 * Thread-safe.
 */
public final class Completion extends CompletableFuture<RecordMetadata> {
    private static final Logger LOG = LoggerFactory.getLogger(Completion.class);
    private static final int NO_SIZE = -1; // Kafka's size of null
    private static final long NO_TIMESTAMP = -1;

    private final TopicPartition partition;
    private final long timestamp;
    private final int keySize;
    private final int valueSize;
    private final Headers headers;
    private final @Nullable Callback callback;
    private final ProducerInterceptorChain<?, ?> interceptors;
    private boolean ended;

    Completion(
            TopicPartition partition,
            long timestamp,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers,
            @Nullable Callback callback,
            ProducerInterceptorChain<?, ?> interceptors) {
        this.partition = partition;
        this.timestamp = timestamp;
        this.keySize = key == null ? NO_SIZE : key.length;
        this.valueSize = value == null ? NO_SIZE : value.length;
        this.headers = headers;
        this.callback = callback;
        this.interceptors = interceptors;
    }

    /** The record's timestamp. */
    long timestamp() {
        return timestamp;
    }

    /** Called when the record is in the log, at an index of a real offset. */
    void acknowledge(RecordMetadata real, int index, long shownTimestamp) {
        long base = real.hasOffset() ? VirtualOffset.of(real.offset()) : real.offset();
        end(new RecordMetadata(partition, base, index, shownTimestamp, keySize, valueSize), null);
    }

    /** Called when the record is in the log of a topic with real offsets. */
    void acknowledgeUntouched(RecordMetadata real) {
        end(real, null);
    }

    /** Called when the record is lost. As in Kafka's producer, only the partition is shown then. */
    void fail(Exception cause) {
        end(new RecordMetadata(partition, -1, -1, NO_TIMESTAMP, NO_SIZE, NO_SIZE), cause);
    }

    private void end(RecordMetadata metadata, @Nullable Exception failure) {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        interceptors.onAcknowledgement(metadata, failure, headers);
        if (callback != null) {
            try {
                callback.onCompletion(metadata, failure);
            } catch (RuntimeException e) {
                LOG.error("The application's send callback for {} failed.", partition, e);
            }
        }
        if (failure == null) {
            complete(metadata);
        } else {
            completeExceptionally(failure);
        }
    }
}
