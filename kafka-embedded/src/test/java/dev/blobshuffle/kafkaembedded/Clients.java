package dev.blobshuffle.kafkaembedded;

import static java.util.stream.Collectors.toCollection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;

/** Kafka's own clients, as the tests use them. */
final class Clients {
    private Clients() {}

    static Admin admin(KafkaCluster kafka) {
        return Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }

    public static Producer<String, String> producer(KafkaCluster kafka, Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", kafka.bootstrapServers());
        return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
    }

    /** Sends values and returns when each is acknowledged by all in-sync replicas. */
    static void send(KafkaCluster kafka, String topic, List<String> values) throws Exception {
        try (Producer<String, String> producer = producer(kafka, Map.of("acks", "all"))) {
            sendWith(producer, topic, values);
        }
    }

    static void sendWith(Producer<String, String> producer, String topic, List<String> values)
            throws InterruptedException, ExecutionException {
        var acknowledgements = values.stream()
                .map(value -> producer.send(new ProducerRecord<>(topic, value)))
                .toList();
        producer.flush();
        for (var acknowledgement : acknowledgements) {
            acknowledgement.get();
        }
    }

    /**
     * Reads a topic of one partition from its beginning, in a new group, until there are so many
     * values.
     */
    public static List<String> read(KafkaCluster kafka, String topic, int count) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "group.id",
                "reader-" + UUID.randomUUID(),
                "group.protocol",
                "consumer",
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "earliest",
                "fetch.max.wait.ms",
                50); // A consumer that is closed waits for its last fetch.
        List<String> values = new ArrayList<>();
        try (Consumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            Awaitility.await(count + " values")
                    .pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> {
                        consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
                        return values.size() >= count;
                    });
        }
        return values;
    }

    static List<String> values(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).collect(toCollection(ArrayList::new));
    }
}
