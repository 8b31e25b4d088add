package dev.blobshuffle.kafka;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.shuffle.Lane;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends for Kafka Streams: acknowledged when appended, for the commit is the acknowledgement that counts, so that no record stays on the heap until its batch is
 * stored. A loss sticks and is thrown by the next send and by every commit until it is discarded. Owned by the stream thread.
 */
final class StreamsSender implements Sender<byte[], byte[]> {
    private static final Logger LOG = LoggerFactory.getLogger(StreamsSender.class);

    private final Producer<byte[], byte[]> delegate;
    private final ProducerWiring wiring;
    private final ProducerChannel channel;
    private final Lane lane;
    private final LaneFailures failures;
    private final HeaderAdapter headers = new HeaderAdapter();
    private final Map<String, Route> routes = new HashMap<>();

    StreamsSender(Producer<byte[], byte[]> delegate, ProducerWiring wiring, ProducerChannel channel, Lane lane) {
        this.delegate = delegate;
        this.wiring = wiring;
        this.channel = channel;
        this.lane = lane;
        this.failures = new LaneFailures(wiring.pair());
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, @Nullable Callback callback) {
        Route route = routes.get(record.topic());
        if (route == null) {
            route = route(record.topic());
        }
        TopicOutput topic = route.blobs;
        if (topic == null) {
            return delegate.send(record, callback);
        }
        RuntimeException lost = failures.lost();
        if (lost != null) {
            throw failures.onSend(lost);
        }
        TopicOutput.Slot slot = append(topic, record);
        if (callback != null) {
            callback.onCompletion(slot.appended, null);
        }
        return slot.appendedFuture;
    }

    private TopicOutput.Slot append(TopicOutput topic, ProducerRecord<byte[], byte[]> record) {
        TopicOutput.Slot slot = slot(topic, record);
        Long timestamp = record.timestamp();
        try {
            slot.output.append(
                    timestamp != null ? timestamp : wiring.time().wallMillis(),
                    record.key(),
                    record.value(),
                    headers.of(record.headers()));
        } catch (BlobShuffleException e) {
            throw failures.onSend(e);
        }
        return slot;
    }

    /**
     * Asks the broker for the topic's partitions if need be. Kafka's producer would tell by the callback that it got no answer; here nothing can, so the record counts
     * as lost: thrown as it is, the exception would end the stream thread.
     */
    private TopicOutput.Slot slot(TopicOutput topic, ProducerRecord<byte[], byte[]> record) {
        Integer chosen = record.partition();
        try {
            return topic.slot(chosen != null ? chosen : topic.partition(record.key(), channel.batches()));
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
                                wiring.time().randomLong())
                        : null);
        routes.put(topic, route);
        return route;
    }

    /**
     * Under exactly-once only the real producer: the commit drains once for all tasks. Under at-least-once everything, and a loss is thrown later, by the commit or the
     * next send, because Kafka Streams would not recover from an exception here.
     */
    @Override
    public void flush() {
        if (wiring.mode() == Mode.KAFKA_STREAMS_ALO && failures.lost() == null) {
            try {
                lane.flush(wiring.flushTimeout());
            } catch (BlobShuffleException e) {
                failures.onCommit(e); // sticks
            }
        }
        delegate.flush();
    }

    @Override
    public void drain() {
        RuntimeException lost = failures.lost();
        if (lost != null) {
            throw failures.onCommit(lost);
        }
        try {
            lane.flush(wiring.flushTimeout());
        } catch (BlobShuffleException e) {
            throw failures.onCommit(e);
        }
    }

    @Override
    public void discard() {
        lane.discard();
        failures.reset();
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
    }

    /** Where a topic's records go; null: to the real producer. */
    private record Route(@Nullable TopicOutput blobs) {}
}
