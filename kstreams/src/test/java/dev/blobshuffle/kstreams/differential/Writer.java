package dev.blobshuffle.kstreams.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes input records natively. Owned by the test thread. */
public final class Writer implements AutoCloseable {
    private final KafkaProducer<String, String> producer;

    /** A writer to the cluster. */
    public Writer(String bootstrap) {
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "linger.ms", 5, "max.in.flight.requests.per.connection", 1),
                new StringSerializer(),
                new StringSerializer());
    }

    /** Writes the records in order, and returns when the broker has all of them. */
    public void write(List<Workload.Input> inputs) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (Workload.Input input : inputs) {
            sent.add(producer.send(new ProducerRecord<>(
                    input.topic(), input.partition(), input.timestamp(), input.key(), input.value())));
        }
        producer.flush();
        for (Future<RecordMetadata> future : sent) {
            future.get();
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
