package dev.blobshuffle.kafka.internal.consume;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Makes consumers that read single records of the broker for an application's consumer. They have
 * its connection and security, but not its group. Stateless.
 */
final class NotificationReaders {
    private static final String GROUP = "group.";
    private static final int FETCH_BYTES = 64 << 10;

    private NotificationReaders() {}

    /**
     * Makes such consumers. They also read aborted records, because brokers take these into account
     * in answers about times.
     *
     * @param real settings of the application's real consumer
     */
    static Supplier<Consumer<byte[], byte[]>> of(Map<String, Object> real) {
        Map<String, Object> settings = new HashMap<>(real);
        settings.keySet().removeIf(setting -> setting.startsWith(GROUP));
        settings.remove(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
        settings.put(CommonClientConfigs.CLIENT_ID_CONFIG, real.get(CommonClientConfigs.CLIENT_ID_CONFIG) + "-times");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
        settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
        return () -> new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }
}
