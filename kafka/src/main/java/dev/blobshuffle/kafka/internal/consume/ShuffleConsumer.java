package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.jspecify.annotations.Nullable;

/**
 * The consumer that reads records from blobs; base of {@code BlobConsumer} for any application and
 * of {@link StreamsConsumer} for stream threads.
 *
 * <p>Owned by one thread, as every Kafka consumer. Only {@link #wakeup()} may be called from other
 * threads.
 */
public class ShuffleConsumer<K, V> implements Consumer<K, V> {
    private final ConsumerParts<K, V> parts;
    private final Consumer<byte[], byte[]> delegate;
    private final Debatcher<ConsumerRecord<byte[], byte[]>> debatcher;
    private final AssignedPartitions partitions;
    private final OffsetQueries queries;
    private final OffsetCommits commits;
    private final AutoCommit autoCommit;
    private final PollLoop<K, V> loop;
    private final RebalanceListener.Hooks hooks;
    private final ClientPair.ConsumerSide side;

    /**
     * Guards the calls that change this wrapper before or without the real consumer's own check.
     */
    private final OneThread thread = new OneThread();

    private boolean closed;

    /** Owns the parts, and closes them. */
    public ShuffleConsumer(ConsumerParts<K, V> parts) {
        this.parts = parts;
        this.delegate = parts.delegate();
        ConsumerWiring wiring = parts.wiring();
        this.debatcher = parts.engine().debatcher(wiring.name());
        this.partitions = new AssignedPartitions(delegate, debatcher, wiring);
        StartResolver starts = new StartResolver(delegate, partitions, parts.reset(), wiring.time());
        this.queries = new OffsetQueries(delegate, partitions, starts, recordTimes(parts), wiring.time());
        this.commits = new OffsetCommits(delegate, partitions, wiring.pair(), ofCommits(parts));
        this.autoCommit = new AutoCommit(parts.autoCommit(), queries, commits, delegate::wakeup, wiring.time());
        this.loop = new PollLoop<>(delegate, debatcher, partitions, starts, parts.deserializer(), wiring);
        this.hooks = new RebalanceListener.Hooks() {
            @Override
            public void beforePartitionsGo() {
                autoCommit.beforePartitionsGo();
            }

            @Override
            public void startAssigned() {
                starts.startAssigned(loop.remaining());
            }
        };
        this.side = partition -> {
            PartitionProgress progress = partitions.of(partition);
            return progress == null ? null : progress.delivered;
        };
        wiring.pair().join(side);
    }

    /** The interceptors that learn of commits here, not by a {@link CommitRelay}. */
    private static ConsumerInterceptorChain<?, ?> ofCommits(ConsumerParts<?, ?> parts) {
        return parts.wiring().mode() == Mode.GENERAL ? new ConsumerInterceptorChain<>(List.of()) : parts.interceptors();
    }

    private static @Nullable RecordTimes recordTimes(ConsumerParts<?, ?> parts) {
        ConsumerWiring wiring = parts.wiring();
        return parts.readers() == null
                ? null
                : new RecordTimes(parts.readers(), parts.engine(), wiring.name(), wiring.time());
    }

    /** As {@link StreamsConsumer#forget}. */
    void forget(Collection<TopicPartition> revoked) {
        partitions.revoked(revoked);
    }

    /** As {@link StreamsConsumer#takeOver}. */
    void takeOver(Collection<TopicPartition> assigned) {
        partitions.assigned(assigned);
    }

    /** As {@link StreamsConsumer#forgetAll}. */
    void forgetAll() {
        partitions.dropAll();
        partitions.revoked(delegate.assignment());
    }

    /** Warns if none of the topics to read shuffles through blobs. */
    void reads(Collection<String> topics) {
        parts.wiring().topics().warnUnlessIncluded(topics);
    }

    @Override
    public ConsumerRecords<K, V> poll(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException(
                    "Cannot poll: the timeout " + timeout + " is negative. Pass zero, so as not to wait.");
        }
        try (OneThread.Use use = thread.enter()) {
            autoCommit.ifDue();
            ConsumerRecords<K, V> records = loop.poll(timeout);
            return records.isEmpty() ? records : parts.interceptors().onConsume(records);
        }
    }

    /** A method of Kafka 3.9's interface: deprecated there, removed in 4.0. */
    public ConsumerRecords<K, V> poll(long timeoutMillis) {
        return poll(Duration.ofMillis(timeoutMillis));
    }

    @Override
    public Set<TopicPartition> assignment() {
        return delegate.assignment();
    }

    @Override
    public Set<String> subscription() {
        return delegate.subscription();
    }

    @Override
    public void subscribe(Collection<String> topics) {
        subscribe(topics, own(null));
    }

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
        subscribe(topics, listener(listener));
    }

    @Override
    public void subscribe(Pattern pattern) {
        delegate.subscribe(pattern, own(null));
    }

    @Override
    public void subscribe(Pattern pattern, ConsumerRebalanceListener listener) {
        delegate.subscribe(pattern, listener(listener));
    }

    @Override
    public void subscribe(SubscriptionPattern pattern) {
        delegate.subscribe(pattern, own(null));
    }

    @Override
    public void subscribe(SubscriptionPattern pattern, ConsumerRebalanceListener listener) {
        delegate.subscribe(pattern, listener(listener));
    }

    private void subscribe(Collection<String> topics, RebalanceListener listener) {
        if (topics != null && topics.isEmpty()) {
            unsubscribe(() -> delegate.subscribe(topics, listener));
            return;
        }
        if (topics != null) { // Kafka's consumer refuses null.
            reads(topics);
        }
        delegate.subscribe(topics, listener);
    }

    /** No topics and no partitions: Kafka's consumer unsubscribes. */
    private void unsubscribe(Runnable call) {
        try (OneThread.Use use = thread.enter()) {
            autoCommit.withoutCommit(call);
            partitions.dropAll();
            parts.wiring().pair().tasksGivenUp();
        }
    }

    private RebalanceListener listener(ConsumerRebalanceListener user) {
        if (user == null) {
            throw new IllegalArgumentException(
                    "Cannot subscribe: the rebalance listener is null. Leave it out, or pass one.");
        }
        return own(user);
    }

    private RebalanceListener own(@Nullable ConsumerRebalanceListener user) {
        return new RebalanceListener(user, partitions, hooks);
    }

    @Override
    public void assign(Collection<TopicPartition> assignment) {
        if (assignment != null && assignment.isEmpty()) {
            unsubscribe(() -> delegate.assign(assignment));
            return;
        }
        autoCommit.ifDue();
        delegate.assign(assignment);
        partitions.reconcile();
    }

    @Override
    public void unsubscribe() {
        try (OneThread.Use use = thread.enter()) {
            try {
                autoCommit.withoutCommit(delegate::unsubscribe);
            } finally {
                partitions.dropAll();
                parts.wiring().pair().tasksGivenUp();
            }
        }
    }

    @Override
    public void commitSync() {
        commits.sync(queries.positions());
    }

    @Override
    public void commitSync(Duration timeout) {
        commits.sync(queries.positions(), timeout);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
        commits.sync(offsets);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        commits.sync(offsets, timeout);
    }

    @Override
    public void commitAsync() {
        commits.async(queries.positions(), null);
    }

    @Override
    public void commitAsync(OffsetCommitCallback callback) {
        commits.async(queries.positions(), callback);
    }

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
        commits.async(offsets, callback);
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        if (partitions.isVirtual(partition)) {
            seek(partition, new OffsetAndMetadata(offset));
        } else {
            delegate.seek(partition, offset);
            restart(partition, offset, 0);
        }
    }

    @Override
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        boolean virtual = partitions.isVirtual(partition);
        long real = virtual ? VirtualOffset.real(offset.offset()) : offset.offset();
        delegate.seek(partition, new OffsetAndMetadata(real, offset.leaderEpoch(), offset.metadata()));
        restart(partition, real, virtual ? VirtualOffset.index(offset.offset()) : 0);
    }

    private void restart(TopicPartition partition, long real, int index) {
        PartitionProgress progress = partitions.of(partition);
        if (progress != null) {
            partitions.emptyQueue(progress);
            progress.startAt(real, index);
            partitions.resumeInside(progress);
        }
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> sought) {
        seek(sought, delegate::seekToBeginning);
    }

    @Override
    public void seekToEnd(Collection<TopicPartition> sought) {
        seek(sought, delegate::seekToEnd);
    }

    private void seek(Collection<TopicPartition> sought, java.util.function.Consumer<Collection<TopicPartition>> call) {
        if (sought == null || sought.isEmpty()) { // The first is for Kafka to refuse.
            call.accept(sought);
            restartWhereRealIs(delegate.assignment());
        } else {
            partitions.inOrder(sought, call, this::restartWhereRealIs);
        }
    }

    private void restartWhereRealIs(Collection<TopicPartition> sought) {
        for (TopicPartition partition : sought) {
            PartitionProgress progress = partitions.of(partition);
            if (progress != null) {
                partitions.emptyQueue(progress);
                progress.startWhereRealIs();
                partitions.resumeInside(progress);
            }
        }
    }

    @Override
    public long position(TopicPartition partition) {
        return queries.position(partition, parts.apiTimeout());
    }

    @Override
    public long position(TopicPartition partition, Duration timeout) {
        return queries.position(partition, timeout);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> asked) {
        return queries.committed(delegate.committed(asked));
    }

    /**
     * A method of Kafka 3.9's interface: deprecated there, removed in 4.0. Null if nothing is
     * committed.
     */
    public @Nullable OffsetAndMetadata committed(TopicPartition partition) {
        return committed(Set.of(partition)).get(partition);
    }

    /** As {@link #committed(TopicPartition)}. */
    public @Nullable OffsetAndMetadata committed(TopicPartition partition, Duration timeout) {
        return committed(Set.of(partition), timeout).get(partition);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> asked, Duration timeout) {
        return queries.committed(delegate.committed(asked, timeout));
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> asked) {
        return queries.offsets(delegate.beginningOffsets(asked));
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> asked, Duration timeout) {
        return queries.offsets(delegate.beginningOffsets(asked, timeout));
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> asked) {
        return queries.offsets(delegate.endOffsets(asked));
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> asked, Duration timeout) {
        return queries.offsets(delegate.endOffsets(asked, timeout));
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times) {
        return queries.times(times, parts.apiTimeout());
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times, Duration timeout) {
        return queries.times(times, timeout);
    }

    @Override
    public OptionalLong currentLag(TopicPartition partition) {
        return partitions.lag(partition);
    }

    @Override
    public Set<TopicPartition> paused() {
        Set<TopicPartition> paused = new HashSet<>(delegate.paused());
        paused.removeIf(partition -> {
            PartitionProgress progress = partitions.of(partition);
            return progress != null && !progress.pausedByUser;
        });
        return paused;
    }

    @Override
    public void pause(Collection<TopicPartition> paused) {
        partitions.pauseByUser(paused);
    }

    @Override
    public void resume(Collection<TopicPartition> resumed) {
        partitions.resumeByUser(resumed);
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        return delegate.partitionsFor(topic);
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic, Duration timeout) {
        return delegate.partitionsFor(topic, timeout);
    }

    @Override
    public Map<String, List<PartitionInfo>> listTopics() {
        return delegate.listTopics();
    }

    @Override
    public Map<String, List<PartitionInfo>> listTopics(Duration timeout) {
        return delegate.listTopics(timeout);
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
    public Uuid clientInstanceId(Duration timeout) {
        return delegate.clientInstanceId(timeout);
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        Map<MetricName, Metric> metrics = new HashMap<>(delegate.metrics());
        metrics.putAll(parts.metrics().get());
        return metrics;
    }

    @Override
    public ConsumerGroupMetadata groupMetadata() {
        ConsumerGroupMetadata real = delegate.groupMetadata();
        return parts.wiring().mode() == Mode.GENERAL ? new NotedGroupMetadata(real, partitions.notes()) : real;
    }

    @Override
    public void enforceRebalance() {
        delegate.enforceRebalance();
    }

    @Override
    public void enforceRebalance(String reason) {
        delegate.enforceRebalance(reason);
    }

    @Override
    public void wakeup() {
        delegate.wakeup();
    }

    @Override
    public void close() {
        close(delegate::close);
    }

    /** {@inheritDoc} */
    @Override
    @Deprecated
    @SuppressWarnings("deprecation") // part of the interface
    public void close(Duration timeout) {
        close(() -> delegate.close(timeout));
    }

    @Override
    public void close(CloseOptions options) {
        close(() -> delegate.close(options));
    }

    private void close(Runnable closing) {
        try (OneThread.Use use = thread.enter()) {
            if (closed) {
                return;
            }
            delegate.paused(); // Throws if another thread is inside the real consumer.
            closed = true;
            try {
                autoCommit.beforePartitionsGo();
            } finally {
                end(closing);
            }
        }
    }

    private void end(Runnable closing) {
        try {
            closing.run();
        } finally {
            parts.wiring().pair().leave(side);
            partitions.close();
            debatcher.close();
            parts.deserializer().close();
            parts.interceptors().close();
            parts.release().run();
        }
    }
}
