package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.consume.NotedGroupMetadata;
import dev.blobshuffle.kafka.internal.position.CommitTranslation;
import dev.blobshuffle.kafka.internal.position.DeliveredRange;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.jspecify.annotations.Nullable;

/**
 * The producer that writes records to blobs; base of {@code BlobProducer} for any application and
 * of {@link StreamsProducer} for stream threads.
 *
 * <p>If a batch cannot be stored in time, all of its records are lost: their sends fail. In a
 * transaction, {@code send} and the commit then throw until the transaction is aborted.
 * Thread-safe.
 */
public class ShuffleProducer<K, V> implements Producer<K, V> {
    private final Producer<byte[], byte[]> delegate;
    private final ProducerWiring wiring;
    private final Sender<K, V> sender;
    private final Supplier<Map<MetricName, ? extends Metric>> metrics;
    private final Runnable release;
    private final ClientPair.ProducerSide side;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean inTransaction;

    /** Owns the parts, and closes them. */
    public ShuffleProducer(ProducerParts<K, V> parts) {
        this(parts, push(parts.delegate(), parts.wiring()));
    }

    private ShuffleProducer(ProducerParts<K, V> parts, Optional<ProducerPush> push) {
        this(parts.delegate(), parts.wiring(), general(parts, push), parts.metrics(), () -> {
            push.ifPresent(ProducerPush::close);
            parts.serializer().close();
            parts.interceptors().close();
            parts.partitioning().close();
            parts.release().run();
        });
    }

    /** @param release closes the parts that the producer was opened with */
    ShuffleProducer(
            Producer<byte[], byte[]> delegate,
            ProducerWiring wiring,
            Sender<K, V> sender,
            Supplier<Map<MetricName, ? extends Metric>> metrics,
            Runnable release) {
        this.delegate = delegate;
        this.wiring = wiring;
        this.sender = sender;
        this.metrics = metrics;
        this.release = release;
        this.side = new ClientPair.ProducerSide() {
            @Override
            public void drainBeforeCommit() {
                if (!wiring.transactional()) {
                    sender.drain();
                }
            }

            @Override
            public void discardUncommitted() {
                if (!wiring.transactional()) {
                    sender.discard();
                }
            }
        };
        wiring.pair().join(side);
    }

    /** None with transactions: readers see a notification only after the commit, which flushes. */
    static Optional<ProducerPush> push(Producer<?, ?> delegate, ProducerWiring wiring) {
        return wiring.transactional() ? Optional.empty() : Optional.of(new ProducerPush(delegate, wiring.time()));
    }

    static ProducerChannel channel(
            Producer<byte[], byte[]> delegate,
            Completions completions,
            ProducerWiring wiring,
            Optional<ProducerPush> push) {
        return new ProducerChannel(
                delegate,
                completions,
                wiring.notificationTimeout(),
                push.<Runnable>map(one -> one::start).orElse(() -> {}));
    }

    private static <K, V> Sender<K, V> general(ProducerParts<K, V> parts, Optional<ProducerPush> push) {
        Completions completions = Completions.atAcknowledgement(parts.wiring().time());
        ProducerChannel channel = channel(parts.delegate(), completions, parts.wiring(), push);
        Lane lane = parts.engine().lane(parts.name(), channel);
        return new GeneralSender<>(parts, channel, completions, lane);
    }

    @Override
    public void initTransactions() {
        delegate.initTransactions();
    }

    @Override
    public void beginTransaction() {
        if (inTransaction) { // The real producer does not know that records are lost.
            sender.requireSound();
        }
        delegate.beginTransaction();
        inTransaction = true;
    }

    @Override
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
        sender.drain();
        Map<TopicPartition, OffsetAndMetadata> real = new HashMap<>();
        offsets.forEach((partition, position) -> real.put(
                partition,
                wiring.topics().matches(partition.topic())
                        ? NotedGroupMetadata.keepNotes(group, partition, toReal(partition, position))
                        : position));
        delegate.sendOffsetsToTransaction(real, group);
    }

    /** A method of Kafka 3.9's interface: deprecated there, removed in 4.0. */
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, String groupId) {
        sendOffsetsToTransaction(offsets, new ConsumerGroupMetadata(groupId));
    }

    private OffsetAndMetadata toReal(TopicPartition partition, OffsetAndMetadata position) {
        DeliveredRange delivered = wiring.pair().delivered(partition);
        OffsetAndMetadata real = CommitTranslation.toReal(position, delivered);
        if (delivered != null) {
            delivered.committed(real.offset());
        }
        return real;
    }

    @Override
    public void commitTransaction() {
        sender.drain();
        delegate.commitTransaction();
        inTransaction = false;
        wiring.pair().committed();
    }

    @Override
    public void abortTransaction() {
        if (wiring.transactional()) { // Otherwise the real producer refuses, and no send is lost.
            sender.discard();
        }
        inTransaction = false;
        delegate.abortTransaction();
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<K, V> record) {
        return send(record, null);
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<K, V> record, @Nullable Callback callback) {
        if (closed.get()) {
            throw new IllegalStateException(
                    "Cannot send to " + record.topic() + ": the producer is closed. Open another one.");
        }
        if (wiring.transactional() && !inTransaction) {
            throw new IllegalStateException("Cannot send to " + record.topic()
                    + ": no transaction is open. Call initTransactions once and beginTransaction before.");
        }
        return sender.send(record, callback);
    }

    @Override
    public void flush() {
        sender.flush();
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        return delegate.partitionsFor(topic);
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        Map<MetricName, Metric> all = new HashMap<>(delegate.metrics());
        all.putAll(metrics.get());
        return all;
    }

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        return delegate.clientInstanceId(timeout);
    }

    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {
        delegate.registerMetricForSubscription(metric);
    }

    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {
        delegate.unregisterMetricFromSubscription(metric);
    }

    @Override
    public void close() {
        close(wiring.flushTimeout());
    }

    @Override
    public void close(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("Cannot close: the timeout " + timeout
                    + " is negative. Pass zero, so as to end open sends with a failure.");
        }
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        wiring.pair().leave(side);
        try {
            sender.close(inTransaction ? Duration.ZERO : shorter(timeout));
        } finally {
            try {
                delegate.close(timeout);
            } finally {
                release.run();
            }
        }
    }

    private Duration shorter(Duration timeout) {
        return timeout.compareTo(wiring.flushTimeout()) < 0 ? timeout : wiring.flushTimeout();
    }
}
