package example;

import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.BlobProducer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Adds up each customer's orders with Kafka's clients. One thread sorts the orders by customer, in
 * transactions. The other thread adds them up. The records between them go through blobs.
 */
public final class OrderTotals {
    /**
     * The only topic in {@code blobshuffle.topics.include}. Other topics are not shuffled through
     * blobs.
     */
    private static final String SORTED = "orders-by-customer";

    public static void main(String[] arguments) {
        new Thread(OrderTotals::sort, "sort").start();
        new Thread(OrderTotals::add, "add").start();
    }

    /** Sorts orders. An order's key is its number, its value {@code customer:amount}. */
    private static void sort() {
        try (Consumer<String, String> orders = new BlobConsumer<>(
                        settings("group.id", "sort"), new StringDeserializer(), new StringDeserializer());
                Producer<String, Long> sorted = new BlobProducer<>(
                        settings("transactional.id", "sort-1"), new StringSerializer(), new LongSerializer())) {
            sorted.initTransactions();
            orders.subscribe(List.of("orders"));
            while (true) {
                ConsumerRecords<String, String> polled = orders.poll(Duration.ofMillis(500));
                if (polled.isEmpty()) {
                    continue;
                }
                sorted.beginTransaction();
                for (ConsumerRecord<String, String> order : polled) {
                    String[] parts = order.value().split(":");
                    sorted.send(new ProducerRecord<>(SORTED, parts[0], Long.valueOf(parts[1])));
                }
                sorted.sendOffsetsToTransaction(polled.nextOffsets(), orders.groupMetadata());
                // the blobs are durable, and the notifications are in Kafka
                sorted.commitTransaction();
            }
        }
    }

    /**
     * Adds up orders. The totals are in memory, so this thread reads from the beginning and commits
     * nothing.
     */
    private static void add() {
        Map<String, Long> totals = new HashMap<>();
        try (Consumer<String, Long> sorted = new BlobConsumer<>(
                        settings("group.id", "add"), new StringDeserializer(), new LongDeserializer());
                Producer<String, Long> output =
                        new BlobProducer<>(settings(), new StringSerializer(), new LongSerializer())) {
            sorted.subscribe(List.of(SORTED));
            while (true) {
                for (ConsumerRecord<String, Long> order : sorted.poll(Duration.ofMillis(500))) {
                    long total = totals.merge(order.key(), order.value(), Long::sum);
                    output.send(new ProducerRecord<>("totals", order.key(), total));
                }
            }
        }
    }

    /**
     * The common settings of all clients of the topic, plus others, as alternating names and
     * values.
     */
    private static Map<String, Object> settings(Object... more) {
        Map<String, String> environment = System.getenv();
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", environment.getOrDefault("KAFKA_BOOTSTRAP_SERVERS", "localhost:9092"));
        settings.put("blobshuffle.store", environment.getOrDefault("BLOB_STORE", "file:///var/lib/blobs"));
        settings.put("blobshuffle.topics.include", SORTED);
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", false);
        settings.put("isolation.level", "read_committed");
        for (int i = 0; i < more.length; i += 2) {
            settings.put((String) more[i], more[i + 1]);
        }
        return settings;
    }
}
