package dev.blobshuffle.kstreams;

import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.internal.consume.StreamsConsumer;
import dev.blobshuffle.kstreams.internal.application.ShuffledApplication;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.clients.consumer.internals.AsyncKafkaConsumer;
import org.apache.kafka.clients.consumer.internals.StreamsRebalanceData;
import org.apache.kafka.clients.consumer.internals.StreamsRebalanceListener;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.streams.internals.ConsumerWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Wraps the main consumer that Kafka Streams makes itself with {@code group.protocol=streams} in a
 * {@link BlobConsumer}. The setting {@code __internal.consumer.wrapper__} names this class;
 * {@link BlobShuffleClientSupplier} must make the other clients. Every method goes through the
 * wrapping consumer, because the real one shows real offsets. Requires Kafka 4.1 or later. Owned by
 * the stream thread.
 */
public final class BlobConsumerWrapper extends ConsumerWrapper {
    private @Nullable StreamsConsumer wrapping;
    private @Nullable StreamsRebalanceData topology;

    /** Called by Kafka Streams. */
    public BlobConsumerWrapper() {}

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException fatal: another supplier makes the application's other clients
     */
    @Override
    public void wrapConsumer(
            AsyncKafkaConsumer<byte[], byte[]> consumer,
            Map<String, Object> config,
            Optional<StreamsRebalanceData> rebalanceData) {
        super.wrapConsumer(consumer, config, rebalanceData);
        String clientId = String.valueOf(config.get(ConsumerConfig.CLIENT_ID_CONFIG));
        topology = rebalanceData.orElse(null);
        wrapping = ShuffledApplication.beingCreated(clientId).wrapMain(consumer, new HashMap<>(config));
    }

    private StreamsConsumer blobs() {
        StreamsConsumer consumer = wrapping;
        if (consumer == null) {
            throw new IllegalStateException("Cannot use the consumer: it is not wrapped yet.");
        }
        return consumer;
    }

    /**
     * Kafka Streams revokes tasks without a call of the consumer's own listener. So this method
     * drops their queues after the tasks have committed.
     */
    @Override
    public void subscribe(Collection<String> topics, StreamsRebalanceListener listener) {
        blobs().reads(topics);
        delegate.subscribe(topics, new StreamsRebalanceListener() {
            @Override
            public void onTasksRevoked(Set<StreamsRebalanceData.TaskId> tasks) {
                try {
                    listener.onTasksRevoked(tasks);
                } finally {
                    blobs().forget(partitionsOf(tasks));
                }
            }

            @Override
            public void onTasksAssigned(StreamsRebalanceData.Assignment assignment) {
                blobs().takeOver(partitionsOf(assignment.activeTasks()));
                listener.onTasksAssigned(assignment);
            }

            @Override
            public void onAllTasksLost() {
                try {
                    listener.onAllTasksLost();
                } finally {
                    blobs().forgetAll();
                }
            }
        });
    }

    private Set<TopicPartition> partitionsOf(Set<StreamsRebalanceData.TaskId> tasks) {
        StreamsRebalanceData data = topology;
        if (data == null) {
            return blobs().assignment();
        }
        Set<TopicPartition> partitions = new HashSet<>();
        for (StreamsRebalanceData.TaskId task : tasks) {
            StreamsRebalanceData.Subtopology subtopology = data.subtopologies().get(task.subtopologyId());
            if (subtopology != null) {
                subtopology
                        .sourceTopics()
                        .forEach(topic -> partitions.add(new TopicPartition(topic, task.partitionId())));
                subtopology
                        .repartitionSourceTopics()
                        .keySet()
                        .forEach(topic -> partitions.add(new TopicPartition(topic, task.partitionId())));
            }
        }
        return partitions;
    }

    @Override
    public Set<TopicPartition> assignment() {
        return blobs().assignment();
    }

    @Override
    public Set<String> subscription() {
        return blobs().subscription();
    }

    @Override
    public void subscribe(Collection<String> topics) {
        blobs().subscribe(topics);
    }

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
        blobs().subscribe(topics, listener);
    }

    @Override
    public void assign(Collection<TopicPartition> partitions) {
        blobs().assign(partitions);
    }

    @Override
    public void subscribe(Pattern pattern, ConsumerRebalanceListener listener) {
        blobs().subscribe(pattern, listener);
    }

    @Override
    public void subscribe(Pattern pattern) {
        blobs().subscribe(pattern);
    }

    @Override
    public void subscribe(SubscriptionPattern pattern, ConsumerRebalanceListener listener) {
        blobs().subscribe(pattern, listener);
    }

    @Override
    public void subscribe(SubscriptionPattern pattern) {
        blobs().subscribe(pattern);
    }

    @Override
    public void unsubscribe() {
        blobs().unsubscribe();
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        return blobs().poll(timeout);
    }

    @Override
    public void commitSync() {
        blobs().commitSync();
    }

    @Override
    public void commitSync(Duration timeout) {
        blobs().commitSync(timeout);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
        blobs().commitSync(offsets);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        blobs().commitSync(offsets, timeout);
    }

    @Override
    public void commitAsync() {
        blobs().commitAsync();
    }

    @Override
    public void commitAsync(OffsetCommitCallback callback) {
        blobs().commitAsync(callback);
    }

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        blobs().commitAsync(offsets, callback);
    }

    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {
        blobs().registerMetricForSubscription(metric);
    }

    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {
        blobs().unregisterMetricFromSubscription(metric);
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        blobs().seek(partition, offset);
    }

    @Override
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        blobs().seek(partition, offset);
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        blobs().seekToBeginning(partitions);
    }

    @Override
    public void seekToEnd(Collection<TopicPartition> partitions) {
        blobs().seekToEnd(partitions);
    }

    @Override
    public long position(TopicPartition partition) {
        return blobs().position(partition);
    }

    @Override
    public long position(TopicPartition partition, Duration timeout) {
        return blobs().position(partition, timeout);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
        return blobs().committed(partitions);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration timeout) {
        return blobs().committed(partitions, timeout);
    }

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        return blobs().clientInstanceId(timeout);
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return blobs().metrics();
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        return blobs().partitionsFor(topic);
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic, Duration timeout) {
        return blobs().partitionsFor(topic, timeout);
    }

    @Override
    public Map<String, List<PartitionInfo>> listTopics() {
        return blobs().listTopics();
    }

    @Override
    public Map<String, List<PartitionInfo>> listTopics(Duration timeout) {
        return blobs().listTopics(timeout);
    }

    @Override
    public Set<TopicPartition> paused() {
        return blobs().paused();
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        blobs().pause(partitions);
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        blobs().resume(partitions);
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times) {
        return blobs().offsetsForTimes(times);
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times, Duration timeout) {
        return blobs().offsetsForTimes(times, timeout);
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
        return blobs().beginningOffsets(partitions);
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions, Duration timeout) {
        return blobs().beginningOffsets(partitions, timeout);
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
        return blobs().endOffsets(partitions);
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions, Duration timeout) {
        return blobs().endOffsets(partitions, timeout);
    }

    @Override
    public OptionalLong currentLag(TopicPartition partition) {
        return blobs().currentLag(partition);
    }

    @Override
    public ConsumerGroupMetadata groupMetadata() {
        return blobs().groupMetadata();
    }

    @Override
    public void enforceRebalance() {
        blobs().enforceRebalance();
    }

    @Override
    public void enforceRebalance(String reason) {
        blobs().enforceRebalance(reason);
    }

    @Override
    public void close() {
        blobs().close();
    }

    /** {@inheritDoc} */
    @Override
    @Deprecated
    @SuppressWarnings("deprecation") // part of the interface
    public void close(Duration timeout) {
        blobs().close(timeout);
    }

    @Override
    public void close(CloseOptions options) {
        blobs().close(options);
    }

    @Override
    public void wakeup() {
        blobs().wakeup();
    }
}
