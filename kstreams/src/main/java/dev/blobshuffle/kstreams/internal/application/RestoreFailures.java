package dev.blobshuffle.kstreams.internal.application;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.streams.errors.StreamsException;

/**
 * Keeps a restore consumer from ending the thread that uses it. Kafka Streams' state updater
 * handles a {@link StreamsException}: the stream thread hears of it and fails. Any other exception
 * ends the updater's thread, and the stream thread may then wait minutes for it. An {@link Error}
 * ends it too, and nobody hears of the tasks it had. Stateless.
 */
final class RestoreFailures {
    private RestoreFailures() {}

    /**
     * The same consumer, which throws a {@link StreamsException} for everything that is not Kafka's
     * own exception. Kafka Streams distinguishes its own exceptions, so they pass.
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
