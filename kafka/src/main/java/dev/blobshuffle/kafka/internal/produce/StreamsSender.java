package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.kafka.internal.client.HeaderAdapter;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends for Kafka Streams. A send is acknowledged when its record is appended, because the commit
 * is the acknowledgement that counts. So no record stays on the heap until its batch is stored. The
 * application's interceptors are called when the record's notification is in the log. A loss stays:
 * the next send and every commit throw it until it is discarded. Owned by the stream thread.
 */
public final class StreamsSender implements Sender<byte[], byte[]> {
    private static final Logger LOG = LoggerFactory.getLogger(StreamsSender.class);
    // The class of Kafka's constant differs between releases.
    private static final long NO_TIMESTAMP = -1;

    private final Producer<byte[], byte[]> delegate;
    private final ProducerWiring wiring;
    private final ProducerChannel channel;
    private final Lane lane;
    private final LaneFailures failures;
    private final Partitioning partitioning;
    private final ProducerInterceptorChain<byte[], byte[]> interceptors;
    private final HeaderAdapter headers = new HeaderAdapter();
    private final Map<String, Route> routes = new HashMap<>();

    public StreamsSender(
            Producer<byte[], byte[]> delegate,
            ProducerWiring wiring,
            ProducerPlugins plugins,
            ProducerChannel channel,
            Lane lane) {
        this.delegate = delegate;
        this.wiring = wiring;
        this.channel = channel;
        this.lane = lane;
        this.failures = new LaneFailures(wiring.pair());
        this.partitioning = plugins.partitioning();
        this.interceptors = plugins.interceptors();
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, @Nullable Callback callback) {
        if (!interceptors.isEmpty()) {
            return sendIntercepted(interceptors.onSend(record), callback);
        }
        TopicOutput topic = blobs(record.topic());
        return topic == null ? delegate.send(record, callback) : append(topic, record, callback);
    }

    private Future<RecordMetadata> sendIntercepted(ProducerRecord<byte[], byte[]> record, @Nullable Callback callback) {
        try {
            TopicOutput topic = blobs(record.topic());
            return topic == null ? sendPlain(record, callback) : append(topic, record, callback);
        } catch (RuntimeException e) {
            interceptors.onAcknowledgement(unknown(record), e, record.headers());
            throw e;
        }
    }

    private Future<RecordMetadata> sendPlain(ProducerRecord<byte[], byte[]> record, @Nullable Callback callback) {
        return delegate.send(record, (metadata, failure) -> {
            interceptors.onAcknowledgement(metadata == null ? unknown(record) : metadata, failure, record.headers());
            if (callback != null) {
                callback.onCompletion(metadata, failure);
            }
        });
    }

    /** The metadata that Kafka's producer reports for a record without a partition. */
    private static RecordMetadata unknown(ProducerRecord<?, ?> record) {
        Integer chosen = record.partition();
        int partition = chosen == null ? RecordMetadata.UNKNOWN_PARTITION : chosen;
        return new RecordMetadata(new TopicPartition(record.topic(), partition), -1, -1, NO_TIMESTAMP, -1, -1);
    }

    /** The output for a topic; null if its records go to the real producer. */
    private @Nullable TopicOutput blobs(String topic) {
        Route route = routes.get(topic);
        return route == null ? route(topic).blobs : route.blobs;
    }

    private Future<RecordMetadata> append(
            TopicOutput topic, ProducerRecord<byte[], byte[]> record, @Nullable Callback callback) {
        RuntimeException lost = failures.lost();
        if (lost != null) {
            throw failures.onSend(lost);
        }
        TopicOutput.Slot slot = slot(topic, record);
        Long given = record.timestamp();
        long timestamp = given != null ? given : wiring.time().wallMillis();
        Completion completion = interceptors.isEmpty() ? null : register(slot, timestamp, record);
        try {
            slot.output.append(timestamp, record.key(), record.value(), headers.of(record.headers()));
        } catch (dev.blobshuffle.core.failure.RecordTooLargeException e) {
            remove(slot, completion);
            return refuse(record, slot, new RecordTooLargeException(e.getMessage(), e), callback);
        } catch (BlobShuffleException e) {
            remove(slot, completion);
            throw failures.onSend(e);
        }
        if (callback != null) {
            callback.onCompletion(slot.appended, null);
        }
        return slot.appendedFuture;
    }

    private void remove(TopicOutput.Slot slot, @Nullable Completion completion) {
        if (completion != null) {
            channel.completions().remove(slot.partition, completion);
        }
    }

    /**
     * Reports the failure to Kafka Streams through the callback, as Kafka's producer does. Kafka
     * Streams then calls the application's handler. No other record is lost, so the lane continues.
     */
    private Future<RecordMetadata> refuse(
            ProducerRecord<byte[], byte[]> record,
            TopicOutput.Slot slot,
            RecordTooLargeException reason,
            @Nullable Callback callback) {
        RecordMetadata shown = new RecordMetadata(slot.kafka, -1, -1, NO_TIMESTAMP, -1, -1);
        if (callback != null) {
            callback.onCompletion(shown, reason);
        }
        if (!interceptors.isEmpty()) {
            interceptors.onAcknowledgement(shown, reason, record.headers());
        }
        return CompletableFuture.failedFuture(reason);
    }

    /**
     * Registers the record, so that the interceptors are called when its notification is in the
     * log.
     */
    private Completion register(TopicOutput.Slot slot, long timestamp, ProducerRecord<byte[], byte[]> record) {
        Completion completion = new Completion(
                slot.kafka, timestamp, record.key(), record.value(), record.headers(), null, interceptors);
        channel.completions().add(slot.partition, completion);
        return completion;
    }

    /**
     * The output slot of a record; queries the broker for the topic's partitions if necessary. If
     * the broker does not answer, Kafka's producer would report that in the callback, which is not
     * possible here. Thrown as it is, the exception would end the stream thread, so the record
     * counts as lost. The same applies if the topic has fewer partitions than before: the tasks
     * restart, and Kafka Streams checks the topic.
     */
    private TopicOutput.Slot slot(TopicOutput topic, ProducerRecord<byte[], byte[]> record) {
        Integer named = record.partition();
        try {
            return topic.slot(
                    named != null
                            ? named
                            : partitioning.choose(topic, record, record.key(), record.value(), channel.batches()),
                    channel.batches());
        } catch (RetriableException e) {
            throw failures.onSend(e);
        }
    }

    private Route route(String topic) {
        boolean blobs = wiring.writes() == ProducerWiring.Writes.BLOBS
                && wiring.topics().matches(topic);
        if (blobs) {
            wiring.pair().requireConsumer(topic);
        }
        Route route = new Route(
                blobs
                        ? new TopicOutput(
                                topic,
                                lane,
                                delegate,
                                wiring.zones(),
                                wiring.time().randomLong(),
                                TopicOutput.Changes.REFUSED)
                        : null);
        routes.put(topic, route);
        return route;
    }

    /**
     * Under exactly-once, flushes only the real producer, because the commit drains once for all
     * tasks. Under at-least-once, drains everything. Kafka Streams would not recover from an
     * exception here, so the commit or the next send throws a loss.
     */
    @Override
    public void flush() {
        if (wiring.mode() == Mode.KAFKA_STREAMS_ALO && failures.lost() == null) {
            try {
                lane.flush(wiring.flushTimeout());
            } catch (BlobShuffleException e) {
                channel.failed(e);
                failures.onCommit(e); // Stored for the next send or commit.
            }
        }
        delegate.flush();
    }

    @Override
    public void requireSound() {
        RuntimeException lost = failures.lost();
        if (lost != null) {
            throw failures.onCommit(lost);
        }
    }

    @Override
    public void drain() {
        requireSound();
        try {
            lane.flush(wiring.flushTimeout());
        } catch (BlobShuffleException e) {
            channel.failed(e);
            throw failures.onCommit(e);
        } finally {
            awaitInterceptors();
        }
    }

    /**
     * Waits for the interceptors: as in native Kafka, they see their records before the commit
     * returns.
     */
    private void awaitInterceptors() {
        try {
            channel.completions()
                    .awaitCallbacks(
                            wiring.time().nanos() + wiring.flushTimeout().toNanos());
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    @Override
    public void discard() {
        lane.discard();
        failures.reset();
        channel.completions().failAll(new TransactionAbortedException());
        channel.completions().startAgain();
        for (Route route : routes.values()) {
            if (route.blobs != null) {
                route.blobs.refreshSoon();
            }
        }
    }

    @Override
    public void close(Duration timeout) {
        boolean graceful = !wiring.transactional() && !timeout.isZero() && failures.lost() == null;
        if (graceful && lane.failure() == null && !lane.isDrained()) {
            try {
                lane.flush(timeout.compareTo(wiring.flushTimeout()) < 0 ? timeout : wiring.flushTimeout());
            } catch (BlobShuffleException e) {
                LOG.warn(
                        "Closed with records that are not delivered; they are processed again after the restart: {}",
                        e.getMessage());
            }
        }
        lane.close();
        channel.completions().failAll(new KafkaException("The producer was closed before the record was delivered."));
        channel.completions().close();
    }

    /** The output for a topic's records; null: the real producer. */
    private record Route(@Nullable TopicOutput blobs) {}
}
