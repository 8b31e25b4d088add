package dev.blobshuffle.kafka.internal.membership;

import dev.blobshuffle.kafka.internal.log.BrokerTime;
import java.time.Duration;
import java.util.HashMap;
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
 * The membership topic with a small producer and consumer of its own, read from its beginning.
 * Owned by the membership's thread; {@link #wakeUp()} may come from any. Every call that waits for
 * brokers ends after {@link #PATIENCE} with a {@link KafkaException}.
 */
final class MembershipTopic implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * Compacted soon, since every instance reads it whole at its start; timed by the brokers, since
     * clocks of instances differ.
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
     * Opens the topic, and makes it if it is not there.
     *
     * @param clientSettings of any Kafka client of the application: where the brokers are, and
     *     security
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
     * What all kinds of clients know: the admin's settings, which are where the brokers are and how
     * to get in.
     */
    private static Map<String, Object> common(Map<String, ?> clientSettings, String client) {
        Map<String, Object> common = new HashMap<>(clientSettings);
        common.keySet().retainAll(AdminClientConfig.configNames());
        common.values().removeIf(value -> value == null);
        common.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG);
        common.put(AdminClientConfig.CLIENT_ID_CONFIG, client);
        common.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        common.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis() / 2);
        return common;
    }

    private static Map<String, Object> forProducer(Map<String, Object> common) {
        Map<String, Object> settings = new HashMap<>(common);
        settings.keySet().retainAll(ProducerConfig.configNames());
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, PATIENCE.toMillis());
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 4L << 20);
        return settings;
    }

    private static Map<String, Object> forConsumer(Map<String, Object> common) {
        Map<String, Object> settings = new HashMap<>(common);
        settings.keySet().retainAll(ConsumerConfig.configNames());
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
     * Sends a value; null: the member is gone. Does not wait for the brokers' answer.
     *
     * @throws KafkaException recoverable: an earlier word was lost; open the topic again
     */
    void tell(long id, byte @Nullable [] value) {
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

    /** New records; none when the time is over, or somebody calls {@link #wakeUp()}. */
    ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        try {
            return consumer.poll(timeout);
        } catch (WakeupException e) {
            return ConsumerRecords.empty();
        }
    }

    /** Ends a poll that waits, or the next one. From any thread. */
    void wakeUp() {
        consumer.wakeup();
    }

    /** Waits until the sent values have arrived, but not for long. */
    void closeWithin(Duration timeout) {
        producer.close(timeout);
        close();
    }

    /** Ends both clients; what was not sent is lost. Idempotent. */
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
