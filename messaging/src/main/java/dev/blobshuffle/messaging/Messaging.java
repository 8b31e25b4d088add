package dev.blobshuffle.messaging;

import dev.blobshuffle.messaging.internal.MessagingInstance;
import java.util.Map;

/**
 * One instance of messaging: the store, the memory budgets, the caches and the log that its
 * publishers and subscribers share. Open one per process. Thread-safe.
 *
 * <pre>{@code
 * try (Messaging messaging = Messaging.open(settings)) {
 *     messaging.topics().create(Topic.named("orders").partitions(48).retention(Duration.ofDays(1)));
 *     Publisher<String, String> publisher = messaging.publisher("checkout-1", Serde.string(), Serde.string());
 *     publisher.publish("orders", key, value);
 *     Subscriber<String, String> subscriber =
 *             messaging.subscriber(Subscription.of("billing", "orders"), Serde.string(), Serde.string());
 *     for (ReceivedRecord<String, String> record : subscriber.poll(Duration.ofSeconds(1))) { … }
 *     subscriber.commit();
 * }
 * }</pre>
 */
public interface Messaging extends AutoCloseable {
    /**
     * Opens an instance. Checks the store and the log. Blocks.
     *
     * @param settings {@code blobshuffle.*}: at least {@code blobshuffle.store} and
     *     {@code blobshuffle.log}
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the settings cannot
     *     work; the message says what to change
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the store does
     *     not work now
     * @throws dev.blobshuffle.log.failure.LogUnavailableException recoverable: the log does not
     *     answer now
     */
    static Messaging open(Map<String, ?> settings) {
        return MessagingInstance.open(settings);
    }

    /** The topics. */
    Topics topics();

    /** The consumer groups. */
    ConsumerGroups groups();

    /**
     * Opens a publisher, and fences its predecessor of the same name. Blocks.
     *
     * @param name unique among the publishers of the log that run at the same time, such as the
     *     name of the service and the number of the instance
     * @throws dev.blobshuffle.log.failure.LogUnavailableException recoverable: the log does not
     *     answer
     */
    <K, V> Publisher<K, V> publisher(String name, Serde<K> keys, Serde<V> values);

    /**
     * Opens a member of a consumer group. It joins with its first poll.
     *
     * @throws dev.blobshuffle.log.failure.TopicAbsentException recoverable: create the topic, or
     *     that of the dead letters
     * @throws dev.blobshuffle.log.failure.LogUnavailableException recoverable: the log does not
     *     answer
     */
    <K, V> Subscriber<K, V> subscriber(Subscription subscription, Serde<K> keys, Serde<V> values);

    /**
     * Begins a transaction of a publisher. Everything that it publishes until the commit belongs to
     * the transaction.
     *
     * @throws IllegalStateException the publisher has an open transaction
     */
    Transaction begin(Publisher<?, ?> publisher);

    /**
     * Begins a transaction of a publisher that also commits the positions after the last poll of a
     * subscriber of this instance. As {@link #begin(Publisher)}.
     */
    Transaction begin(Publisher<?, ?> publisher, Subscriber<?, ?> subscriber);

    /** Closes all publishers and subscribers, then the rest. Idempotent. */
    @Override
    void close();
}
