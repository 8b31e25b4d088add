package dev.blobshuffle.kafka;

import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ClientSettings;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.consume.NotedGroupMetadata;
import dev.blobshuffle.kafka.internal.position.CommitTranslation;
import dev.blobshuffle.kafka.internal.position.DeliveredRange;
import dev.blobshuffle.kafka.internal.produce.Completions;
import dev.blobshuffle.kafka.internal.produce.GeneralSender;
import dev.blobshuffle.kafka.internal.produce.ProducerChannel;
import dev.blobshuffle.kafka.internal.produce.ProducerOpening;
import dev.blobshuffle.kafka.internal.produce.ProducerParts;
import dev.blobshuffle.kafka.internal.produce.ProducerPlugins;
import dev.blobshuffle.kafka.internal.produce.ProducerPush;
import dev.blobshuffle.kafka.internal.produce.Sender;
import dev.blobshuffle.kafka.internal.produce.StreamsSender;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
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
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka producer whose records go into blobs: for topics that shuffle through blobs only a
 * notification per segment is sent to the broker, once its blob is durable, and inside the open
 * transaction if there is one. Order per partition is that of the sends. Other topics pass
 * untouched.
 *
 * <p>Everything else is the contract of {@link Producer}. A batch that cannot be stored in time is
 * lost as a whole: its sends fail, and in a transaction {@code send} and the commit throw until the
 * abort. Offsets in acknowledgements are virtual, those that a {@link BlobConsumer} shows.
 *
 * <p>Thread-safe, as Kafka's own producer; around a ready producer for Kafka Streams it is owned by
 * the stream thread.
 */
public final class BlobProducer<K, V> implements Producer<K, V> {
    private final Producer<byte[], byte[]> delegate;
    private final ProducerWiring wiring;
    private final Sender<K, V> sender;
    private final Supplier<Map<MetricName, ? extends Metric>> metrics;
    private final Runnable release;
    private final ClientPair.ProducerSide side;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean inTransaction;

    /**
     * A producer for any application. It shares the store, the memory budgets, the batches and the
     * metrics with all clients of the process that have the same {@code blobshuffle.*} settings.
     *
     * @param settings those of a Kafka producer, serializers included, and {@code blobshuffle.*}
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the settings cannot work; the
     *     message says what to change
     */
    public BlobProducer(Map<String, ?> settings) {
        this(ProducerOpening.open(settings, null, null));
    }

    /** As {@link #BlobProducer(Map)}. */
    public BlobProducer(Properties settings) {
        this(ProducerOpening.open(ClientSettings.toMap(settings), null, null));
    }

    /** As {@link #BlobProducer(Map)}, with serializers that are ready to use. */
    public BlobProducer(Map<String, ?> settings, Serializer<K> keys, Serializer<V> values) {
        this(ProducerOpening.open(settings, keys, values));
    }

    BlobProducer(ProducerParts<K, V> parts) {
        this(parts, push(parts.delegate(), parts.wiring()));
    }

    private BlobProducer(ProducerParts<K, V> parts, Optional<ProducerPush> push) {
        this(parts.delegate(), parts.wiring(), general(parts, push), parts.metrics(), () -> {
            push.ifPresent(ProducerPush::close);
            parts.serializer().close();
            parts.interceptors().close();
            parts.partitioning().close();
            parts.release().run();
        });
    }

    private BlobProducer(
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

    /** In a transaction nobody sees a notification before the commit, which flushes. */
    private static Optional<ProducerPush> push(Producer<?, ?> delegate, ProducerWiring wiring) {
        return wiring.transactional() ? Optional.empty() : Optional.of(new ProducerPush(delegate, wiring.time()));
    }

    private static ProducerChannel channel(
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

    /**
     * A producer around a ready one, for Kafka Streams, without classes of the application.
     *
     * @param delegate the ready producer, without interceptors; closed with the new one
     * @param engine the instance's engine; stays open
     * @param name names the lane: the client id
     */
    public static BlobProducer<byte[], byte[]> wrap(
            Producer<byte[], byte[]> delegate, Engine engine, String name, ProducerWiring wiring) {
        return wrap(delegate, engine, name, wiring, ProducerPlugins.none());
    }

    /**
     * As {@link #wrap(Producer, Engine, String, ProducerWiring)}, with the application's classes.
     *
     * @param plugins closed with the new producer
     */
    public static BlobProducer<byte[], byte[]> wrap(
            Producer<byte[], byte[]> delegate,
            Engine engine,
            String name,
            ProducerWiring wiring,
            ProducerPlugins plugins) {
        Optional<ProducerPush> push = push(delegate, wiring);
        Completions completions = plugins.interceptors().isEmpty()
                ? Completions.atAppend()
                : Completions.atAcknowledgement(wiring.time());
        ProducerChannel channel = channel(delegate, completions, wiring, push);
        Lane lane = engine.lane(name, channel);
        return new BlobProducer<>(
                delegate, wiring, new StreamsSender(delegate, wiring, plugins, channel, lane), Map::of, () -> {
                    push.ifPresent(ProducerPush::close);
                    plugins.close();
                });
    }

    @Override
    public void initTransactions() {
        delegate.initTransactions();
    }

    @Override
    public void beginTransaction() {
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

    /** A method of Kafka 3.9's interface, deprecated there and gone since 4.0. */
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
        sender.discard();
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
