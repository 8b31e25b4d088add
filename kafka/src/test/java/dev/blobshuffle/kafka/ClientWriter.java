package dev.blobshuffle.kafka;

import dev.blobshuffle.kafka.internal.produce.ShuffleProducer;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;

/**
 * Sends rows through a {@code BlobProducer}, and records which were acknowledged and where. Owned
 * by its actor.
 */
final class ClientWriter {
    private static final int IDENTITY = 12;

    private final ClientSchedule.Run run;
    private final SimulatedProcess process;
    private final ClientLedger ledger;
    private final String topic;
    private final int writer;

    ClientWriter(ClientSchedule.Run run, SimulatedProcess process, ClientSchedule.Topic topic) {
        this.run = run;
        this.process = process;
        this.ledger = topic.ledger();
        this.topic = topic.broker().topic();
        writer = ledger.newWriter();
    }

    void run(int rows, ShuffleProducer<byte[], byte[]> producer) {
        SimulatedTime time = run.time;
        for (int number = 0; number < rows && !run.isBroken(); number++) {
            int row = number;
            int partition = time.random(run.partitions);
            try {
                var ignored = producer.send(
                        new ProducerRecord<>(topic, partition, (long) row, null, value(row)), (metadata, failure) -> {
                            if (failure == null && process.isAlive()) {
                                ledger.acknowledged(writer, row, partition, metadata.offset());
                            }
                        });
            } catch (BufferExhaustedException e) {
                time.pause(Duration.ofMillis(10));
            } catch (KafkaException e) {
                ledger.violation("writer " + writer + " cannot go on: " + e);
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

    /** As the other, in transactions. Rows of aborted transactions are not sent again. */
    void run(int rows, ClientTransaction transaction) {
        SimulatedTime time = run.time;
        for (int number = 0; number < rows && !run.isBroken(); number++) {
            try {
                transaction.send(writer, number, time.random(run.partitions), value(number));
                if (time.random(20) == 0) {
                    transaction.flush();
                }
            } catch (KafkaException e) {
                transaction.abort();
            }
            if (time.random(3) == 0) {
                run.pause(true);
            }
            if (time.random(8) == 0) {
                end(transaction);
            }
        }
        if (transaction.isOpen()) {
            transaction.commit(null, null);
        }
        transaction.close();
    }

    private void end(ClientTransaction transaction) {
        if (run.time.random(4) == 0) {
            transaction.abort();
        } else if (transaction.isOpen()) {
            transaction.commit(null, null);
        }
    }

    private byte[] value(int row) {
        return ByteBuffer.allocate(IDENTITY + run.time.random(100))
                .putInt(writer)
                .putInt(row)
                .array();
    }
}
