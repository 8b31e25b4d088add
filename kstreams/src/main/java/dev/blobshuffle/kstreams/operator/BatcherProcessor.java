package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.failure.RecordTooLargeException;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.client.HeaderAdapter;
import dev.blobshuffle.kstreams.internal.commit.CommitGate;
import dev.blobshuffle.kstreams.internal.commit.NodeScope;
import dev.blobshuffle.kstreams.internal.commit.PendingTimer;
import dev.blobshuffle.kstreams.internal.commit.StreamsInternals;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;

/**
 * The Batcher of one task while the task is open. It appends records to a lane, and forwards the
 * notifications that the lane returns. Owned by the stream thread.
 *
 * <p>Records without a key are forwarded at once, as plain records. As in a native repartition,
 * Kafka Streams then drops them, or keeps them for a left join.
 */
final class BatcherProcessor<K, V> implements AutoCloseable {
    private final ShuffleDefinition<K, V> definition;
    private final NodeScope scope;
    private final String topic;
    private final SharedEngine.Lease lease;
    private final PartitionChoice partitions;
    private final Losses losses;
    private final PendingTimer timer;
    private final Arrivals arrivals;
    private final Lane lane;
    private final CommitGate gate;
    private final Serializer<K> keys;
    private final Serializer<V> values;
    private final Deserializer<K> keysBack;
    private final HeaderAdapter headers = new HeaderAdapter();
    private final List<@Nullable BatcherOutput<K>> outputs = new ArrayList<>();
    private final ZoneMap zones;
    private long zonesVersion;

    /**
     * Whether there is one partition only: {@code TopologyTestDriver} has no stream threads, and
     * one partition stands for all.
     */
    private final boolean hasOnePartition = !StreamsInternals.isStreamThread(Thread.currentThread());

    BatcherProcessor(ShuffleDefinition<K, V> definition, ProcessorContext<K, Shuffled> context) {
        this.definition = definition;
        scope = NodeScope.of(context);
        topic = definition.topic(context);
        gate = CommitGate.of(context, definition.batcherGate());
        keys = definition.keySerde(context).serializer();
        values = definition.valueSerde(context).serializer();
        keysBack = definition.keySerde(context).deserializer();
        for (int i = 0; i < definition.partitions(); i++) {
            outputs.add(null);
        }
        lease = SharedEngine.acquire(definition, context);
        partitions = new PartitionChoice(topic, definition.partitions(), lease.settings(), lease.time());
        zones = lease.membership();
        zonesVersion = zones.version();
        String name = definition.name() + "-batcher, task " + context.taskId();
        losses = lease.losses(name, Losses.Patience.LIMITED);
        timer = new PendingTimer(context, this::onTimer);
        arrivals = new Arrivals(lease.notificationTimeout(), this::forwardArrivals);
        lane = lease.engine().lane(name, arrivals);
        lease.lanes().add(lane);
        gate.attach(scope, this::drain);
    }

    void process(Record<K, V> record) {
        losses.check();
        byte[] value = values.serialize(topic, record.headers(), record.value());
        byte[] key = record.key() == null ? null : keys.serialize(topic, record.headers(), record.key());
        Optional<Set<Integer>> chosen = chosen(record);
        if (key == null || !lease.isWriting()) {
            Shuffled plain = Shuffled.plain(value, chosen); // The real producer makes the default choice.
            scope.run(() -> scope.forward(record.withValue(plain)));
            return;
        }
        if (chosen.isPresent()) {
            for (int partition : chosen.get()) {
                append(partition, record, key, value);
            }
        } else {
            append(partitions.choose(key, value), record, key, value);
        }
        forwardArrivals();
        timer.start();
    }

    private Optional<Set<Integer>> chosen(Record<K, V> record) {
        return definition.partitioner() == null
                ? Optional.empty()
                : definition.partitioner().partitions(topic, record.key(), record.value(), definition.partitions());
    }

    private void append(int partition, Record<K, V> record, byte[] key, byte @Nullable [] value) {
        BatcherOutput<K> output = output(partition);
        if (output.exceeds(definition.maxTimeSpan(), record.timestamp())) {
            lane.seal();
            restartOutputs();
            boolean ignored = output.exceeds(definition.maxTimeSpan(), record.timestamp());
        }
        output.key = record.key();
        try {
            output.lane.append(record.timestamp(), key, value, headers.of(record.headers()));
        } catch (RecordTooLargeException e) {
            // No other record is lost: the application's exception handler may skip this one.
            throw new StreamsException("Cannot shuffle a record to " + topic + ": " + e.getMessage(), e);
        } catch (BlobShuffleException e) {
            throw losses.keep(e);
        }
    }

    private BatcherOutput<K> output(int partition) {
        if (partition < 0 || partition >= outputs.size()) {
            throw new IllegalArgumentException("Cannot shuffle to partition " + partition + " of " + topic + ": it has "
                    + outputs.size() + " partitions. Let the partitioner choose one of them.");
        }
        if (zonesVersion != zones.version()) {
            moveZones();
        }
        int target = hasOnePartition ? 0 : partition;
        BatcherOutput<K> output = outputs.get(target);
        if (output == null) {
            output = new BatcherOutput<>(laneOutput(target));
            outputs.set(target, output);
        }
        return output;
    }

    /**
     * The lane's output to a partition. All partitions whose reader's zone is unknown share a zone.
     */
    private Lane.Output laneOutput(int partition) {
        Partition to = new Partition(topic, partition);
        return lane.output(to, zones.zoneOf(to).orElse(Zone.SINGLE));
    }

    /**
     * Moves the outputs to the readers' current zones, including records that are not sealed yet.
     * The order within a partition stays.
     */
    private void moveZones() {
        zonesVersion = zones.version();
        for (int partition = 0; partition < outputs.size(); partition++) {
            BatcherOutput<K> output = outputs.get(partition);
            if (output != null) {
                output.lane = laneOutput(partition);
            }
        }
    }

    private void restartOutputs() {
        partitions.batchEnds();
        for (BatcherOutput<K> output : outputs) {
            if (output != null) {
                output.restart();
            }
        }
    }

    private void onTimer() {
        losses.check();
        forwardArrivals();
        RuntimeException failure = lane.failure();
        if (failure != null) {
            throw losses.keep(failure);
        }
        if (lane.isDrained()) {
            timer.stop();
        }
    }

    /** Called before a commit. */
    private boolean drain() {
        losses.check();
        if (!lane.isDrained()) {
            lease.lanes().startUploads();
            try {
                lane.flush(lease.waitLimit());
            } catch (BlobShuffleException e) {
                throw losses.keep(e);
            }
            losses.recovered();
        }
        restartOutputs();
        timer.stop();
        return false; // The next node is the sink to the repartition topic, which has no cache.
    }

    private void forwardArrivals() {
        if (!arrivals.isEmpty()) {
            scope.run(() -> {
                for (Arrivals.Arrival next = arrivals.poll(); next != null; next = arrivals.poll()) {
                    forward(next);
                }
            });
        }
    }

    private void forward(Arrivals.Arrival arrival) {
        try {
            if (arrival instanceof Arrivals.Stored stored) {
                requireInTime(stored);
                forward(stored);
            } else if (arrival instanceof Arrivals.Inlined inlined) {
                inlined.records().forEach(plain -> forward(plain, inlined.partition()));
            }
        } catch (RuntimeException e) {
            // Keep the failure before the lane sees it: the lane would wrap it and hide its type,
            // which Kafka Streams evaluates.
            RuntimeException first = losses.keep(e);
            arrival.delivery().failed(e);
            throw first;
        }
        arrival.delivery().delivered();
    }

    /**
     * Rejects a notification that has waited here too long, for example because the process was
     * suspended.
     */
    static void requireInTime(Arrivals.Stored stored) {
        if (stored.delivery().isTooLate()) {
            throw new DeadlineExceededException(
                    "Cannot forward a notification: a sweep may delete blob "
                            + stored.notification().blob()
                            + " by now. The process stood still or its clock jumped; Kafka Streams rolls back to the last commit.");
        }
    }

    private void forward(Arrivals.Stored stored) {
        Shuffled value = Shuffled.notification(NotificationCodec.encode(stored.notification()), stored.partition());
        scope.forward(new Record<>(output(stored.partition()).key, value, stored.earliest(), new RecordHeaders()));
    }

    private void forward(Arrivals.Plain plain, int partition) {
        K key = keysBack.deserialize(topic, plain.headers(), plain.key());
        Shuffled value = Shuffled.plain(plain.value(), Optional.of(Set.of(partition)));
        scope.forward(new Record<>(key, value, plain.timestamp(), plain.headers()));
    }

    /** Drops everything undelivered, because no commit includes it. */
    @Override
    public void close() {
        gate.detach();
        timer.stop();
        lease.lanes().remove(lane);
        try (lease;
                partitions) {
            lane.close();
            arrivals.clear();
        }
    }
}
