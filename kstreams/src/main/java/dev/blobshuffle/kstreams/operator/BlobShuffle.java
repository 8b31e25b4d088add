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
 * Figure 1. In place of {@code stream.repartition(…)}:
 *
 * <pre>{@code
 * stream.process(shuffle.batcherSupplier())
 *         .repartition(shuffle.repartitioned())
 *         .processValues(shuffle.debatcherSupplier())
 * }</pre>
 *
 * or, which keeps the serdes for the operators that follow, {@code shuffle.repartition(stream)}.
 * Records come out with their own keys, values, headers and timestamps, in the order of a native
 * repartition, and {@code groupByKey}, windows and joins need no second one. A commit waits until
 * all that was appended is stored and notified, and all that was notified is forwarded.
 *
 * <p>The paper prints {@code process} for the last step too. Kafka Streams would take it for a
 * change of the key and repartition all records once more, natively; hence the Debatcher is no
 * {@code ProcessorSupplier}, and the compiler refuses it there: write {@code processValues}.
 *
 * <p>Immutable; one for each place in a topology.
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
     * A shuffle with everything said, in the order of the paper. The name and the number of
     * partitions are ours: topic and operators need them.
     *
     * @param name unique in the topology; the topic is {@code <application.id>-<name>-repartition}
     * @param partitions of the topic
     * @param store where blobs are kept
     * @param localCache the cache of an instance
     * @param distributedCache the cache of a zone
     * @param zone the availability zone of this instance
     * @param keySerde of the keys
     * @param valueSerde of the values
     * @param batchSize size of one zone's part at which a batch becomes a blob
     * @param maxBatchDuration the longest that a record waits for others
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the values cannot work
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
     * {@code blobshuffle.*} settings, the store among them.
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
     * Collects records in batches, and turns them into notifications: for {@code process}, in front
     * of {@code repartition}.
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

    /** Turns notifications into records: for {@code processValues}, behind {@code repartition}. */
    public FixedKeyProcessorSupplier<K, Shuffled, V> debatcherSupplier() {
        return new DebatcherSupplier<>(definition);
    }

    /**
     * Shuffles a stream: the three operators in one line.
     *
     * @return the stream behind them, with this shuffle's serdes
     */
    public KStream<K, V> repartition(KStream<K, V> stream) {
        KStream<K, V> shuffled = stream.process(batcherSupplier(), Named.as(definition.name() + "-batcher"))
                .repartition(repartitioned())
                .processValues(debatcherSupplier(), Named.as(definition.name() + "-debatcher"));
        return StreamsInternals.withSerdes(shuffled, definition.keys(), definition.values());
    }
}
