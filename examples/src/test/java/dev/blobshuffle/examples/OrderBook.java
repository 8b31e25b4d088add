package dev.blobshuffle.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * The orders that an example adds up, in the topic {@code orders}, and the totals that it writes.
 * Plain clients of Kafka send and read them.
 */
final class OrderBook {
    static final int ORDERS = 3_000;

    private static final int CUSTOMERS = 50;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final String bootstrap;
    private final Map<String, Long> expected = new HashMap<>();

    private OrderBook(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    /** Sends all orders. */
    static OrderBook send(String bootstrap) {
        OrderBook book = new OrderBook(bootstrap);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < ORDERS; i++) {
                String customer = "customer-" + i % CUSTOMERS;
                producer.send(new ProducerRecord<>("orders", "order-" + i, customer + ":" + i));
                book.expected.merge(customer, (long) i, Long::sum);
            }
        }
        return book;
    }

    /** What each customer's total must be. */
    Map<String, Long> expected() {
        return expected;
    }

    /** The newest total of each customer: when all are right, or the application has ended. */
    Map<String, Long> totals(Process application) {
        return totalsOf(application, "totals");
    }

    /** The same from another topic, of two partitions. */
    Map<String, Long> totalsOf(Process application, String topic) {
        Map<String, Long> totals = new HashMap<>();
        try (KafkaConsumer<String, Long> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "auto.offset.reset", "earliest",
                        "isolation.level", "read_committed"),
                new StringDeserializer(),
                new LongDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1)));
            await().atMost(PATIENCE).pollInSameThread().pollDelay(Duration.ZERO).untilAsserted(() -> {
                consumer.poll(Duration.ofMillis(200)).forEach(total -> totals.put(total.key(), total.value()));
                if (application.isAlive()) {
                    assertThat(totals).isEqualTo(expected);
                }
            });
        }
        return totals;
    }

    /** Records in a topic of two partitions; markers of transactions count as well. */
    long records(String topic) throws Exception {
        long records = 0;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            for (int partition = 0; partition < 2; partition++) {
                TopicPartition of = new TopicPartition(topic, partition);
                records += admin.listOffsets(Map.of(of, OffsetSpec.latest()))
                        .partitionResult(of)
                        .get()
                        .offset();
            }
        }
        return records;
    }
}
