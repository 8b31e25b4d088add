package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.failure.WaitInterruptedException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.kafka.internal.client.HeaderAdapter;
import dev.blobshuffle.kafka.internal.log.NotificationRecord;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/**
 * The lane's channel to Kafka: the real producer. The lane calls it from one thread at a time.
 * Acknowledgements arrive on the producer's I/O thread, which queues the callbacks of the
 * application's sends before it notifies the lane.
 */
public final class ProducerChannel implements Channel {
    private final Producer<byte[], byte[]> delegate;
    private final Completions completions;
    private final Duration longestDelivery;
    private final Runnable push;
    private final AtomicLong batches = new AtomicLong();

    /**
     * @param longestDelivery the longest time that the producer holds a notification
     * @param push makes the real producer send what it holds, without waiting
     */
    public ProducerChannel(
            Producer<byte[], byte[]> delegate, Completions completions, Duration longestDelivery, Runnable push) {
        this.delegate = delegate;
        this.completions = completions;
        this.longestDelivery = longestDelivery;
        this.push = push;
    }

    /** The sends that await their acknowledgement. */
    Completions completions() {
        return completions;
    }

    @Override
    public Duration longestDelivery() {
        return longestDelivery;
    }

    /** The number of segments sent so far. Thread-safe. */
    long batches() {
        return batches.get();
    }

    @Override
    public void send(Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
        batches.incrementAndGet();
        Completions.Taken taken = completions.take(partition, notification.records());
        send(NotificationRecord.of(partition, notification, latest), (metadata, failure) -> {
            if (failure == null) {
                delivery.whenDurable(() -> taken.acknowledgeSegment(metadata, latest), lost -> taken.fail(lost(lost)));
                delivery.delivered();
            } else {
                taken.fail(failure);
                delivery.failed(failure);
            }
        });
    }

    @Override
    public void send(Partition partition, SegmentRecords records, Delivery delivery) {
        batches.incrementAndGet();
        Completions.Taken taken = completions.take(partition, records.count());
        PlainDelivery all = new PlainDelivery(records.count(), delivery);
        AtomicInteger next = new AtomicInteger();
        records.forEach((timestamp, key, value, headers) -> {
            int index = next.getAndIncrement();
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                    partition.stream(), partition.number(), timestamp, key, value, HeaderAdapter.toKafka(headers));
            send(record, (metadata, failure) -> {
                if (failure == null) {
                    taken.acknowledgePlain(index, metadata);
                } else {
                    taken.fail(index, failure);
                }
                all.onCompletion(metadata, failure);
            });
        });
    }

    /**
     * Sends a record even if the thread is interrupted, since the thread may be the application's,
     * interrupted for its own reasons. If a thread is interrupted while it waits for metadata or
     * memory, Kafka's producer gives the record up before it accepts it. So the record is sent
     * again, and the thread stays interrupted.
     */
    private void send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        boolean interrupted = Thread.interrupted();
        try {
            boolean isGivenUp = true;
            while (isGivenUp) {
                isGivenUp = isGivenUpForAnInterrupt(record, callback);
                interrupted |= isGivenUp && Thread.interrupted();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean isGivenUpForAnInterrupt(ProducerRecord<byte[], byte[]> record, Callback callback) {
        try {
            delegate.send(record, callback);
        } catch (InterruptException e) {
            return true;
        } catch (RuntimeException e) {
            callback.onCompletion(null, e);
        } catch (Error e) {
            callback.onCompletion(null, new KafkaException("Cannot send: the producer broke.", e));
            throw e;
        }
        return false;
    }

    @Override
    public void requestFlush() {
        push.run();
    }

    @Override
    public void failed(RuntimeException cause) {
        completions.failAll(lost(cause));
    }

    private static KafkaException lost(RuntimeException cause) {
        return new KafkaException("Cannot deliver the record: its batch is lost, " + cause.getMessage(), cause);
    }

    @Override
    public void flush() {
        try {
            delegate.flush();
        } catch (InterruptException e) {
            throw new WaitInterruptedException(
                    "Cannot flush the producer: the thread was interrupted. Flush again.", e);
        }
    }

    /** Notifies once: with the last of several acknowledgements, or with the first failure. */
    private static final class PlainDelivery implements Callback {
        private final AtomicInteger missing;
        private final Delivery delivery;

        PlainDelivery(int records, Delivery delivery) {
            this.missing = new AtomicInteger(records);
            this.delivery = delivery;
        }

        @Override
        public void onCompletion(RecordMetadata metadata, Exception failure) {
            if (failure == null) {
                if (missing.decrementAndGet() == 0) {
                    delivery.delivered();
                }
            } else if (missing.getAndSet(Integer.MIN_VALUE / 2) > 0) {
                delivery.failed(failure);
            }
        }
    }
}
