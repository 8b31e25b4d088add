package dev.blobshuffle.kafka;

import dev.blobshuffle.testkit.SimulatedProcess;
import dev.blobshuffle.testkit.SimulatedTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;

/** Sends rows through a {@code BlobProducer} and notes which were acknowledged, and where. Owned by its actor. */
final class ClientWriter {
    private static final int IDENTITY = 8;

    private final ClientSchedule.Run run;
    private final SimulatedProcess process;
    private final BlobProducer<byte[], byte[]> producer;
    private final int writer;

    ClientWriter(ClientSchedule.Run run, SimulatedProcess process, BlobProducer<byte[], byte[]> producer) {
        this.run = run;
        this.process = process;
        this.producer = producer;
        writer = run.ledger.newWriter();
    }

    void run(int rows) {
        SimulatedTime time = run.time;
        for (int number = 0; number < rows && run.ledger.violations().isEmpty(); number++) {
            int row = number;
            int partition = time.random(run.broker.partitions());
            byte[] value = ByteBuffer.allocate(IDENTITY + time.random(100))
                    .putInt(writer)
                    .putInt(row)
                    .array();
            try {
                var ignored = producer.send(
                        new ProducerRecord<>(SimulatedBroker.TOPIC, partition, (long) row, null, value),
                        (metadata, failure) -> {
                            if (failure == null && process.isAlive()) {
                                run.ledger.acknowledged(writer, row, partition, metadata.offset());
                            }
                        });
            } catch (BufferExhaustedException e) {
                time.pause(Duration.ofMillis(10));
            } catch (KafkaException e) {
                run.ledger.violation("writer " + writer + " cannot go on: " + e);
            }
            if (time.random(3) == 0) {
                run.pause(false);
            }
            if (time.random(20) == 0) {
                producer.flush();
            }
        }
        producer.flush();
        producer.close(Duration.ofSeconds(30));
    }
}
