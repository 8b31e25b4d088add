package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A record above the size limit fails as with Kafka's producer, and no other record fails. */
class TooLargeIT {
    private static final String LARGE = "v".repeat(5_000);

    private final Clients clients = new Clients(
            new MemoryBlobStore("large", 1L << 30),
            BatcherOptions.builder()
                    .delay(Duration.ofSeconds(30))
                    .recordBytes(2048)
                    .build());
    private final String topic = clients.blobTopic(1);
    private final List<Exception> failures = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        clients.close();
    }

    private Future<RecordMetadata> send(Producer<String, String> producer, String value) {
        return producer.send(new ProducerRecord<>(topic, 0, "k", value), (metadata, failure) -> {
            if (failure != null) {
                failures.add(failure);
            }
        });
    }

    @Tag("every-kafka")
    @Test
    void futureAndCallbackTellAndTheOthersArrive() throws Exception {
        Producer<String, String> producer = clients.producer();
        send(producer, "a");
        Future<RecordMetadata> large = send(producer, LARGE);
        send(producer, "b");
        producer.flush();

        assertThatThrownBy(large::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(RecordTooLargeException.class)
                .hasMessageContaining("blobshuffle.record.max.bytes");
        assertThat(failures).singleElement().isInstanceOf(RecordTooLargeException.class);
        Consumer<String, String> consumer = clients.consumer("g-large");
        consumer.assign(List.of(Clients.partition(topic)));
        assertThat(Clients.valuesOf(Clients.read(consumer, 2))).containsExactly("a", "b");
    }

    /** As with Kafka's producer, the transaction must be aborted, and the next one works. */
    @Test
    void transactionCannotCommitWithoutIt() {
        for (Producer<String, String> producer : List.of(
                clients.producer("transactional.id", topic),
                clients.nativeProducer("transactional.id", topic + "-native", "max.request.size", 2048))) {
            failures.clear();
            producer.initTransactions();
            producer.beginTransaction();
            send(producer, "a");
            send(producer, LARGE);
            // Kafka's own producer may fail unsent records for the same reason.
            assertThat(failures)
                    .isNotEmpty()
                    .allSatisfy(failure -> assertThat(failure).isInstanceOf(RecordTooLargeException.class));
            assertThatThrownBy(producer::beginTransaction).isInstanceOf(KafkaException.class);
            assertThatThrownBy(producer::commitTransaction).isInstanceOf(KafkaException.class);
            assertThatThrownBy(producer::beginTransaction).isInstanceOf(KafkaException.class);
            producer.abortTransaction();
            producer.beginTransaction();
            send(producer, "b");
            producer.commitTransaction();
        }
        Consumer<String, String> consumer = clients.consumer("g-large", "isolation.level", "read_committed");
        consumer.assign(List.of(Clients.partition(topic)));
        assertThat(Clients.valuesOf(Clients.read(consumer, 2))).containsExactly("b", "b");
    }
}
