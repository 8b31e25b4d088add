package dev.blobshuffle.kstreams.internal.application;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.streams.errors.StreamsException;

/**
 * Turns failures of a restore consumer into exceptions that Kafka Streams handles. Kafka Streams'
 * state updater passes a {@link StreamsException} to the stream thread, which then fails. Any other
 * exception ends the updater's thread, and the stream thread may wait for it for minutes. An
 * {@link Error} ends that thread too, and its tasks are lost without a report. Stateless.
 */
final class RestoreFailures {
    private RestoreFailures() {}

    /**
     * Wraps a consumer, so that it throws a {@link StreamsException} in place of every exception
     * that is not Kafka's. Kafka Streams distinguishes Kafka's exceptions by type, so these are not
     * changed.
     */
    @SuppressWarnings("unchecked") // The proxy passes every call on to a consumer of this type.
    static Consumer<byte[], byte[]> handled(Consumer<byte[], byte[]> consumer) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(consumer, arguments);
                    } catch (InvocationTargetException e) {
                        Throwable failure = e.getCause() == null ? e : e.getCause();
                        throw failure instanceof KafkaException ? failure : streamsException(method.getName(), failure);
                    }
                });
    }

    private static StreamsException streamsException(String method, Throwable failure) {
        return new StreamsException(
                "Cannot restore state: the restore consumer's " + method + " failed, " + failure
                        + ". Remedy the cause; the tasks are restored again by the next stream thread.",
                failure);
    }
}
