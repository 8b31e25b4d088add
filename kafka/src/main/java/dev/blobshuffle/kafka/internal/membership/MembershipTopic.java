package dev.blobshuffle.kafka.internal.membership;

import dev.blobshuffle.kafka.internal.log.BrokerTime;
import dev.blobshuffle.kafka.internal.settings.ConnectionSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the membership topic with its own small producer and consumer, from the topic's
 * beginning. Owned by the membership's thread; {@link #wakeUp()} may be called from any thread.
 * Every call that waits for brokers ends after {@link #PATIENCE} with a {@link KafkaException}.
 */
final class MembershipTopic implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * Compacted early, because every instance reads the whole topic when it starts. Timestamped by
     * the brokers, because the clocks of instances differ.
     */
    private static final Map<String, String> TOPIC_SETTINGS = Map.of(
            TopicConfig.CLEANUP_POLICY_CONFIG,
            TopicConfig.CLEANUP_POLICY_COMPACT,
            BrokerTime.SETTING.getKey(),
            BrokerTime.SETTING.getValue(),
            TopicConfig.SEGMENT_MS_CONFIG,
            "600000",
            TopicConfig.SEGMENT_BYTES_CONFIG,
            "4194304",
            TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG,
            "600000",
            TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG,
            "0.1");

    private final String name;
    private final Producer<byte[], byte[]> producer;
    private final Consumer<byte[], byte[]> consumer;
    private final AtomicReference<@Nullable Exception> lost = new AtomicReference<>();

    private MembershipTopic(String name, Producer<byte[], byte[]> producer, Consumer<byte[], byte[]> consumer) {
        this.name = name;
        this.producer = producer;
        this.consumer = consumer;
    }

    /**
     * Opens the topic, and creates it if it does not exist.
     *
     * @param clientSettings of any Kafka client of the application: broker addresses and security
     * @param client names the clients in logs and metrics
     */
    static MembershipTopic open(String name, Map<String, ?> clientSettings, String client) {
        Map<String, Object> common = common(clientSettings, client);
        try (Admin admin = Admin.create(common)) {
            make(admin, name);
        }
        Producer<byte[], byte[]> producer =
                new KafkaProducer<>(forProducer(common), new ByteArraySerializer(), new ByteArraySerializer());
        Consumer<byte[], byte[]> consumer = null;
        try {
            consumer =
                    new KafkaConsumer<>(forConsumer(common), new ByteArrayDeserializer(), new ByteArrayDeserializer());
            List<TopicPartition> partitions = consumer.partitionsFor(name).stream()
                    .map(info -> new TopicPartition(name, info.partition()))
                    .toList();
            if (partitions.isEmpty()) { // It was made a moment ago, and this broker has not heard of it.
                throw new UnknownTopicOrPartitionException(
                        "Cannot open membership topic " + name + ": the broker does not know it yet. Try again.");
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            return new MembershipTopic(name, producer, consumer);
        } catch (RuntimeException | Error e) {
            producer.close(Duration.ZERO);
            if (consumer != null) {
                consumer.close();
            }
            throw e;
        }
    }

    /**
     * The settings that all kinds of clients know, which are the admin's: broker addresses and
     * security.
     */
    private static Map<String, Object> common(Map<String, ?> clientSettings, String client) {
        Map<String, Object> common = ConnectionSettings.ofAdmin(clientSettings, client);
        common.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        common.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis() / 2);
        return common;
    }

    private static Map<String, Object> forProducer(Map<String, Object> common) {
        Map<String, Object> settings = ConnectionSettings.ofProducer(common);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, PATIENCE.toMillis());
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 4L << 20);
        return settings;
    }

    private static Map<String, Object> forConsumer(Map<String, Object> common) {
        Map<String, Object> settings = ConnectionSettings.ofConsumer(common);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        return settings;
    }

    private static void make(Admin admin, String name) {
        try {
            admin.describeTopics(List.of(name)).allTopicNames().get();
            boolean ignored = BrokerTime.ensure(admin, name);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                throw failure(name, e);
            }
            NewTopic topic = new NewTopic(name, Optional.of(1), Optional.empty()).configs(TOPIC_SETTINGS);
            try {
                admin.createTopics(List.of(topic)).all().get();
            } catch (ExecutionException notMade) {
                if (!(notMade.getCause() instanceof TopicExistsException)) {
                    throw failure(name, notMade);
                }
            } catch (InterruptedException interrupted) {
                throw interrupted(name, interrupted);
            }
        } catch (InterruptedException e) {
            throw interrupted(name, e);
        }
    }

    private static KafkaException failure(String name, ExecutionException e) {
        return new KafkaException("Cannot open membership topic " + name + ": " + e.getCause(), e.getCause());
    }

    private static KafkaException interrupted(String name, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new KafkaException("Cannot open membership topic " + name + ": the thread was interrupted.", e);
    }

    /**
     * Sends a value, or null if the member leaves. Does not wait for the brokers' answer.
     *
     * @throws KafkaException recoverable: an earlier record was lost; open the topic again
     */
    void send(long id, byte @Nullable [] value) {
        Exception failure = lost.get();
        if (failure != null) {
            throw new KafkaException("Cannot write to membership topic " + name + ": " + failure, failure);
        }
        producer.send(new ProducerRecord<>(name, PresenceCodec.key(id), value), (metadata, e) -> {
            if (e != null) {
                lost.compareAndSet(null, e);
                wakeUp();
            }
        });
    }

    /** The new records; empty after the timeout or after a call of {@link #wakeUp()}. */
    ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        try {
            return consumer.poll(timeout);
        } catch (WakeupException e) {
            return ConsumerRecords.empty();
        }
    }

    /** Ends a poll that waits, or the next poll. Any thread may call it. */
    void wakeUp() {
        consumer.wakeup();
    }

    /** Waits, at most for the timeout, until the brokers have the sent values. */
    void closeWithin(Duration timeout) {
        producer.close(timeout);
        close();
    }

    /** Closes both clients; values that are not sent yet are lost. Idempotent. */
    @Override
    public void close() {
        producer.close(Duration.ZERO);
        try {
            consumer.close();
        } catch (WakeupException e) {
            consumer.close();
        }
    }
}
