package dev.blobshuffle.kafka;

import dev.blobshuffle.kafka.internal.produce.ShuffleProducer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of an application, one after another, as Kafka's documentation describes. A
 * commit or an abort that times out is retried. After any other failure the transaction is aborted,
 * and a fenced producer is replaced. Owned by its actor.
 */
final class ClientTransaction {
    /** Offset of the attempt in a value. */
    private static final int ATTEMPT = 8;

    private final ClientSchedule.Run run;
    private final ClientSchedule.Topic topic;
    private final Function<Boolean, ShuffleProducer<byte[], byte[]>> producers;
    private final List<ClientLedger.Sent> sent = new ArrayList<>();

    /** Rows of this transaction only, because callbacks may run after the abort. */
    private List<Runnable> acknowledged = new ArrayList<>();

    private ShuffleProducer<byte[], byte[]> producer;
    private boolean isOpen;
    private int attempt;

    /**
     * @param topic the topic to write
     * @param producers opens a producer; the argument is whether it replaces a fenced one
     */
    ClientTransaction(
            ClientSchedule.Run run,
            ClientSchedule.Topic topic,
            Function<Boolean, ShuffleProducer<byte[], byte[]>> producers) {
        this.run = run;
        this.topic = topic;
        this.producers = producers;
        producer = producers.apply(false);
        producer.initTransactions();
    }

    boolean isOpen() {
        return isOpen;
    }

    /**
     * Sends a row. Its value begins with writer, number and attempt; the attempt identifies this
     * transaction.
     */
    void send(int writer, int number, int partition, byte[] value) {
        if (!isOpen) {
            producer.beginTransaction();
            isOpen = true;
            attempt = run.newAttempt();
        }
        byte[] stamped = value.clone();
        ByteBuffer.wrap(stamped).putInt(ATTEMPT, attempt);
        List<Runnable> mine = acknowledged;
        sent.add(new ClientLedger.Sent(writer, number, attempt, partition));
        var ignored = producer.send(
                new ProducerRecord<>(topic.broker().topic(), partition, (long) number, null, stamped),
                (metadata, failure) -> {
                    if (failure == null) {
                        mine.add(() -> topic.ledger().acknowledged(writer, number, partition, metadata.offset()));
                    }
                });
    }

    void flush() {
        producer.flush();
    }

    /**
     * Commits. @return whether the commit is certain; otherwise the transaction was aborted, or the
     * producer was fenced
     */
    boolean commit(@Nullable Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable ConsumerGroupMetadata group) {
        try {
            if (offsets != null && group != null) {
                producer.sendOffsetsToTransaction(offsets, group);
            }
            untilInTime(producer::commitTransaction);
            topic.ledger().committed(sent);
            acknowledged.forEach(Runnable::run);
            forget();
            run.saw("transaction committed");
            return true;
        } catch (ProducerFencedException e) {
            replace();
        } catch (KafkaException e) {
            run.saw("transaction failed: " + e.getClass().getSimpleName());
            abort();
        }
        return false;
    }

    /** Aborts the open transaction. */
    void abort() {
        if (!isOpen) {
            return;
        }
        try {
            untilInTime(producer::abortTransaction);
            topic.ledger().aborted(sent);
            forget();
            run.saw("transaction aborted");
        } catch (KafkaException e) {
            replace();
        }
    }

    private void untilInTime(Runnable call) {
        while (true) {
            try {
                call.run();
                return;
            } catch (TimeoutException e) {
                run.saw("transaction timed out");
                run.pause(true);
            }
        }
    }

    private void forget() {
        isOpen = false;
        sent.clear();
        acknowledged = new ArrayList<>();
    }

    /** Replaces the producer. The outcome of its last transaction is unknown. */
    private void replace() {
        run.saw("producer fenced");
        producer.close();
        forget();
        producer = producers.apply(true);
        producer.initTransactions();
    }

    void close() {
        producer.close();
    }
}
