package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kstreams.internal.commit.StreamsInternals;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;

/**
 * One shuffle of a Kafka Streams application through blobs: the operators of the BlobShuffle paper,
 * Figure 1. It replaces {@code stream.repartition(…)}:
 *
 * <pre>{@code
 * stream.process(shuffle.batcherSupplier())
 *         .repartition(shuffle.repartitioned())
 *         .processValues(shuffle.debatcherSupplier())
 * }</pre>
 *
 * or {@code shuffle.repartition(stream)}, which also sets the serdes of the operators that follow.
 * Records come out with their own keys, values, headers and timestamps, in the order of a native
 * repartition. {@code groupByKey}, windows and joins need no second repartition. A commit waits
 * until all appended records are stored and notified, and all notified records are forwarded.
 *
 * <p>The paper uses {@code process} for the last step too. Kafka Streams would take that for a
 * change of the key and repartition all records again, natively. So the Debatcher is no
 * {@code ProcessorSupplier}, and the compiler rejects it there: use {@code processValues}.
 *
 * <p>Immutable; use one for each place in a topology.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 * @see <a href="https://arxiv.org/abs/2606.03364">the BlobShuffle paper, Figure 1 and section
 *     3.1</a>
 */
public final class BlobShuffle<K, V> {
    private final ShuffleDefinition<K, V> definition;

    BlobShuffle(ShuffleDefinition<K, V> definition) {
        this.definition = definition;
    }

    /**
     * A shuffle with all values explicit, in the order of the paper. Name and number of partitions
     * are additions: topic and operators need them.
     *
     * @param name unique in the topology; the topic is {@code <application.id>-<name>-repartition}
     * @param partitions of the topic
     * @param store the store for blobs
     * @param localCache the cache of an instance
     * @param distributedCache the cache of a zone
     * @param zone the availability zone of this instance
     * @param keySerde of the keys
     * @param valueSerde of the values
     * @param batchSize size of one zone's part at which a batch becomes a blob
     * @param maxBatchDuration the longest time that a record waits in a batch
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the values cannot work
     */
    public BlobShuffle(
            String name,
            int partitions,
            StoreConfig store,
            LocalCacheConfig localCache,
            DistributedCacheConfig distributedCache,
            Zone zone,
            Serde<K> keySerde,
            Serde<V> valueSerde,
            ByteSize batchSize,
            Duration maxBatchDuration) {
        this(BlobShuffle.<K, V>builder(name, partitions)
                .store(store)
                .localCache(localCache)
                .distributedCache(distributedCache)
                .zone(zone)
                .serdes(keySerde, valueSerde)
                .batchSize(batchSize)
                .maxBatchDuration(maxBatchDuration)
                .definition());
    }

    /**
     * A shuffle whose defaults come from the application: its default serdes, and its
     * {@code blobshuffle.*} settings, including the store.
     *
     * @param name unique in the topology; the topic is {@code <application.id>-<name>-repartition}
     * @param partitions of the topic
     */
    public static <K, V> BlobShuffleBuilder<K, V> builder(String name, int partitions) {
        return new BlobShuffleBuilder<>(name, partitions);
    }

    ShuffleDefinition<K, V> definition() {
        return definition;
    }

    /**
     * Collects records in batches, and forwards notifications: for {@code process}, before
     * {@code repartition}.
     */
    public ProcessorSupplier<K, V, K, Shuffled> batcherSupplier() {
        return new BatcherSupplier<>(definition);
    }

    /** The repartition topic for notifications: for {@code repartition}. */
    public Repartitioned<K, Shuffled> repartitioned() {
        return Repartitioned.<K, Shuffled>as(definition.name())
                .withKeySerde(definition.keys())
                .withValueSerde(ShuffledSerde.INSTANCE)
                .withNumberOfPartitions(definition.partitions())
                .withStreamPartitioner((topic, key, value, partitions) -> value.partitions());
    }

    /** Turns notifications into records: for {@code processValues}, after {@code repartition}. */
    public FixedKeyProcessorSupplier<K, Shuffled, V> debatcherSupplier() {
        return new DebatcherSupplier<>(definition);
    }

    /**
     * Shuffles a stream: all three operators in one call.
     *
     * @return the resulting stream, with this shuffle's serdes
     */
    public KStream<K, V> repartition(KStream<K, V> stream) {
        KStream<K, V> shuffled = stream.process(batcherSupplier(), Named.as(definition.name() + "-batcher"))
                .repartition(repartitioned())
                .processValues(debatcherSupplier(), Named.as(definition.name() + "-debatcher"));
        return StreamsInternals.withSerdes(shuffled, definition.keys(), definition.values());
    }
}
