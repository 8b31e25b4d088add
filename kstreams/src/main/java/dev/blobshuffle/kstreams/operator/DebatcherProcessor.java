package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.kafka.internal.client.HeaderAdapter;
import dev.blobshuffle.kafka.internal.position.GivenUp;
import dev.blobshuffle.kstreams.internal.commit.CommitGate;
import dev.blobshuffle.kstreams.internal.commit.NodeScope;
import dev.blobshuffle.kstreams.internal.commit.PendingTimer;
import dev.blobshuffle.kstreams.internal.commit.StreamsInternals;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The Debatcher of one task while the task is open. It queues the records of the repartition topic,
 * lets the engine prefetch, and forwards records in order, each in its own record context. A commit
 * waits until everything queued is forwarded, because Kafka Streams commits whole notifications.
 * Owned by the stream thread.
 *
 * <p>In a sub-topology with several source topics it does not prefetch. There, Kafka Streams
 * chooses the next record among the topics by time, and the chosen record must be forwarded before
 * the next choice.
 */
final class DebatcherProcessor<K, V> implements AutoCloseable {
    /**
     * Queued notifications and plain records above which {@code process} waits: a commit has to
     * wait for everything queued.
     */
    private static final int MOST_ITEMS = 512;

    /** Queued bytes above which {@code process} waits, for the same reason. */
    private static final long MOST_BYTES = 16L << 20;

    /** The longest wait between two checks of the fetches. */
    private static final Duration ROUND = Duration.ofMillis(100);

    private final ShuffleDefinition<K, V> definition;
    private final FixedKeyProcessorContext<K, V> context;
    private final NodeScope scope;
    private final SharedEngine.Lease lease;
    private final Losses losses;
    private final PendingTimer timer;
    private final Debatcher<FixedKeyRecord<K, Shuffled>> debatcher;
    private final Membership.Reading reading;
    private final CommitGate gate;
    private final Deserializer<K> keys;
    private final Deserializer<V> values;
    private final boolean hasOtherSources;
    private final GivenUp givenUp;
    private final Debatcher.Sink<FixedKeyRecord<K, Shuffled>> sink = new ForwardingSink();

    /** A task reads one partition of the topic. */
    private @Nullable Partition partition;

    DebatcherProcessor(ShuffleDefinition<K, V> definition, FixedKeyProcessorContext<K, V> context) {
        this.definition = definition;
        this.context = context;
        scope = NodeScope.of(context);
        gate = CommitGate.of(context, definition.debatcherGate());
        keys = definition.keySerde(context).deserializer();
        values = definition.valueSerde(context).deserializer();
        hasOtherSources = hasOtherSources();
        lease = SharedEngine.acquire(definition, context);
        String name = definition.name() + "-debatcher, task " + context.taskId();
        losses = lease.losses(name, Losses.Patience.ENDLESS);
        timer = new PendingTimer(context, this::onTimer);
        debatcher = lease.engine().debatcher(name);
        reading = lease.watched().reading();
        Partition read =
                new Partition(definition.topic(context), context.taskId().partition());
        reading.reads(Set.of(read));
        givenUp = lease.givenUp(read);
        gate.attach(scope, this::drain);
    }

    private boolean hasOtherSources() {
        Set<String> topics = StreamsInternals.sourceTopics(context);
        if (topics.size() > 1 && definition.maxTimeSpan() == null) {
            throw new InvalidSettingsException(
                    "Cannot shuffle " + definition.name() + ": its records meet those of other topics "
                            + topics
                            + ", Kafka Streams takes the topics' records in the order of their timestamps, and those of a"
                            + " segment come out together. Say how far apart in time they may be, with"
                            + " BlobShuffle.builder(…).maxTimeSpan(…): no more than joins and windows allow for records that are late (grace)."
                            + " Or use the client supplier, which has no such limit.");
        }
        return topics.size() > 1;
    }

    void process(FixedKeyRecord<K, Shuffled> record) {
        losses.check();
        try {
            offer(record);
            forwardReady();
            awaitAtMost(
                    hasOtherSources ? 0 : MOST_ITEMS,
                    hasOtherSources ? 0 : MOST_BYTES,
                    lease.time().nanos() + lease.waitLimit().toNanos());
        } catch (RuntimeException e) {
            throw losses.keep(e);
        }
        if (queued().items > 0) {
            timer.start();
        }
    }

    private void offer(FixedKeyRecord<K, Shuffled> record) {
        RecordMetadata metadata = context.recordMetadata().orElseThrow();
        if (record.value().isNotification() && givenUp.contains(metadata.offset())) {
            return;
        }
        Partition from = partition;
        if (from == null
                || from.number() != metadata.partition()
                || !from.stream().equals(metadata.topic())) {
            from = new Partition(metadata.topic(), metadata.partition());
            partition = from;
        }
        Shuffled value = record.value();
        if (value.isNotification()) {
            debatcher.offer(from, metadata.offset(), NotificationCodec.decode(value.bytes()), 0, record);
        } else {
            long size = value.bytes() == null ? 0 : value.bytes().length;
            debatcher.offer(from, metadata.offset(), size, record);
        }
        debatcher.prefetch();
    }

    private boolean forwardReady() {
        if (!debatcher.isReady()) {
            return false;
        }
        int[] records = new int[1];
        scope.run(() -> records[0] = debatcher.drain(Integer.MAX_VALUE, Long.MAX_VALUE, sink));
        return records[0] > 0;
    }

    private Queued queued() {
        Partition from = partition;
        return from == null ? new Queued(0, 0) : new Queued(debatcher.queuedItems(from), debatcher.queuedBytes(from));
    }

    /** Forwards until the queue is within the limits. @return whether records were forwarded */
    private boolean awaitAtMost(int items, long bytes, long deadline) {
        boolean forwarded = false;
        for (Queued queued = queued(); queued.items > items || queued.bytes > bytes; queued = queued()) {
            long left = deadline - lease.time().nanos();
            if (left <= 0) {
                throw new DeadlineExceededException("Cannot read what was notified: " + queued.items + " segments with "
                        + queued.bytes + " bytes did not come within "
                        + lease.waitLimit().toMillis() + " ms. Check the store.");
            }
            debatcher.prefetch();
            try {
                debatcher.awaitProgress(Duration.ofNanos(Math.min(left, ROUND.toNanos())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StreamsException("Cannot wait for segments: the thread was interrupted.", e);
            }
            forwarded |= forwardReady();
        }
        return forwarded;
    }

    private void onTimer() {
        losses.check();
        try {
            debatcher.prefetch();
            boolean ignored = forwardReady();
        } catch (RuntimeException e) {
            throw losses.keep(e);
        }
        if (queued().items == 0) {
            timer.stop();
        }
    }

    /** Called before a commit. */
    private boolean drain() {
        losses.check();
        boolean forwarded = false;
        if (queued().items > 0) {
            try {
                forwarded = awaitAtMost(
                        0, 0, lease.time().nanos() + lease.waitLimit().toNanos());
            } catch (RuntimeException e) {
                throw losses.keep(e);
            }
        }
        losses.recovered();
        timer.stop();
        return forwarded;
    }

    @Override
    public void close() {
        gate.detach();
        timer.stop();
        reading.close();
        try (lease) {
            debatcher.close();
        }
    }

    /** The size of the queue. */
    private record Queued(int items, long bytes) {}

    /** Forwards records as if each had been read from the topic. */
    private final class ForwardingSink implements Debatcher.Sink<FixedKeyRecord<K, Shuffled>> {
        @Override
        public void record(
                Partition from,
                long offset,
                int index,
                int count,
                RecordView record,
                FixedKeyRecord<K, Shuffled> notification) {
            byte[] key = record.key();
            byte[] value = record.value();
            org.apache.kafka.common.header.Headers own = HeaderAdapter.toKafka(record.headers());
            K restored = deserialized(keys, from, offset, own, key, "key");
            V given = value(from, offset, own, value);
            forward(from, offset, new Record<>(restored, given, record.timestamp(), own), key, value);
        }

        @Override
        public void plain(Partition from, long offset, FixedKeyRecord<K, Shuffled> plain) {
            byte[] value = plain.value().bytes();
            V restored = value(from, offset, plain.headers(), value);
            forward(from, offset, new Record<>(plain.key(), restored, plain.timestamp(), plain.headers()), null, value);
        }

        private void forward(
                Partition from, long offset, Record<K, V> record, byte @Nullable [] key, byte @Nullable [] value) {
            scope.forward(record, from.stream(), from.number(), offset, key, value);
        }

        private V value(
                Partition from, long offset, org.apache.kafka.common.header.Headers headers, byte @Nullable [] value) {
            return deserialized(values, from, offset, headers, value, "value");
        }

        private <T> T deserialized(
                Deserializer<T> deserializer,
                Partition from,
                long offset,
                org.apache.kafka.common.header.Headers headers,
                byte @Nullable [] bytes,
                String part) {
            try {
                return deserializer.deserialize(from.stream(), headers, bytes);
            } catch (BlobShuffleException e) {
                throw e;
            } catch (RuntimeException e) {
                throw new StreamsException(
                        "Cannot deserialize the " + part + " of a record of the segment at offset " + offset + " of "
                                + from + ". Give the shuffle the serdes that its writers have.",
                        e);
            }
        }
    }
}
