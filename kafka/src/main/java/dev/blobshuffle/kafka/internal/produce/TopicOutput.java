package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.zone.Zone;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * A lane's outputs to the partitions of one topic. If the application chooses no partition, it
 * chooses as Kafka's producer does: by the hash of the key, or, without a key, one partition per
 * batch. It checks for changed partitions after a loss, with the first record after each batch, and
 * at least every {@link #REFRESH} records. Partitions may be added, or their number may fall if the
 * topic was recreated. The real producer's metadata supplies the partitions. Guarded by its lane.
 */
public final class TopicOutput {
    private static final int REFRESH = 1024;

    private final String topic;
    private final Lane lane;
    private final Producer<byte[], byte[]> delegate;
    private final ZoneMap zones;
    private long zonesVersion;
    private @Nullable Slot[] slots = {};
    private List<PartitionInfo> partitions = List.of();

    /** The partitions for records without a key: those with a leader, or all if none has one. */
    private int[] available = {};

    /** Made from the partitions on first use. */
    private @Nullable Cluster cluster;

    private final Changes changes;
    private int sinceRefresh = REFRESH;
    private long refreshedAt;

    /** The minimum number of partitions; fewer are an error. */
    private int least;

    private int sticky;
    private long stickySince;

    /**
     * How changes of the topic's partitions are handled.
     *
     * @param isShrinkingRefused whether fewer partitions are an error until records are lost, since
     *     keys would move to tasks without their state; otherwise the topic counts as recreated
     * @param count the topic's current number of partitions; 0 for topics that get no new
     *     partitions while a producer is open
     */
    record Changes(boolean isShrinkingRefused, ToIntFunction<String> count) {
        /** For topics of Kafka Streams. */
        static final Changes REFUSED = new Changes(true, unchanged -> 0);

        /** Follows the topic's current partitions. */
        static Changes followed(ToIntFunction<String> count) {
            return new Changes(false, count);
        }
    }

    TopicOutput(
            String topic, Lane lane, Producer<byte[], byte[]> delegate, ZoneMap zones, long random, Changes changes) {
        this.topic = topic;
        this.changes = changes;
        this.lane = lane;
        this.delegate = delegate;
        this.zones = zones;
        this.zonesVersion = zones.version();
        this.sticky = (int) (random & 0xffff);
    }

    /**
     * The partition that Kafka's default partitioner would choose.
     *
     * @param batches number of batches sent so far; records without a key move to another partition
     *     with each batch
     */
    int partition(byte @Nullable [] key, long batches) {
        refreshInTurn(batches);
        if (key != null) {
            return Utils.toPositive(Utils.murmur2(key)) % slots.length;
        }
        if (batches != stickySince) {
            stickySince = batches;
            sticky = (sticky + 1) & Integer.MAX_VALUE;
        }
        return available[sticky % available.length];
    }

    /**
     * The topic's partitions and their brokers, for the application's partitioner, from the real
     * producer's current metadata.
     */
    Cluster cluster() {
        List<PartitionInfo> now = delegate.partitionsFor(topic);
        if (now != partitions) {
            use(now);
        }
        Cluster known = cluster;
        if (known == null) {
            known = new Cluster(null, brokers(partitions), partitions, Set.of(), Set.of());
            cluster = known;
        }
        return known;
    }

    /**
     * The output to a partition.
     *
     * @param batches number of batches sent so far
     * @throws InvalidPartitionsException fatal: the topic has no such partition
     * @throws UnknownTopicOrPartitionException recoverable: partitions of the topic are gone, or
     *     the producer's metadata lacks them
     */
    Slot slot(int partition, long batches) {
        if (partition >= slots.length || batches != refreshedAt) {
            refresh(batches);
        }
        if (partition >= slots.length) {
            growTo(changes.count().applyAsInt(topic));
        }
        if (partition < 0 || partition >= slots.length) {
            throw new InvalidPartitionsException("Cannot send to " + topic + "-" + partition + ": the topic has "
                    + slots.length + " partitions. Choose one of them or add partitions.");
        }
        if (zonesVersion != zones.version()) {
            moveZones();
        }
        Slot slot = slots[partition];
        if (slot == null) {
            slot = new Slot(topic, partition, lane, zones);
            slots[partition] = slot;
        }
        return slot;
    }

    /**
     * Adds partitions that the real producer's metadata lacks. The producer updates its metadata
     * when a notification goes to such a partition.
     */
    private void growTo(int count) {
        if (count > slots.length) {
            slots = Arrays.copyOf(slots, count);
        }
    }

    /**
     * Moves the outputs to the readers' current zones, including records that are not sealed yet.
     * The order within a partition stays.
     */
    private void moveZones() {
        zonesVersion = zones.version();
        for (Slot slot : slots) {
            if (slot != null) {
                slot.move(lane, zones);
            }
        }
    }

    /**
     * Called after a loss: the next choice refreshes the topic's partitions, because the lost
     * record's partition may be gone.
     */
    void refreshSoon() {
        sinceRefresh = REFRESH;
        least = 0;
    }

    private void refreshInTurn(long batches) {
        if (++sinceRefresh >= REFRESH || batches != refreshedAt) {
            refresh(batches);
        }
    }

    private void refresh(long batches) {
        use(delegate.partitionsFor(topic));
        refreshedAt = batches;
    }

    private void use(List<PartitionInfo> now) {
        if (now.size() < least) {
            throw new UnknownTopicOrPartitionException("Topic " + topic + " had " + least + " partitions and has "
                    + now.size() + " now, by the metadata of the brokers. Records of a key would change partitions.");
        }
        least = changes.isShrinkingRefused() ? now.size() : 0;
        partitions = now;
        cluster = null;
        sinceRefresh = 0;
        if (now.size() != slots.length) {
            slots = Arrays.copyOf(slots, now.size());
        }
        int[] led = numbers(now.stream().filter(TopicOutput::hasLeader));
        available = led.length > 0 ? led : numbers(now.stream());
    }

    private static int[] numbers(Stream<PartitionInfo> partitions) {
        return partitions.mapToInt(PartitionInfo::partition).sorted().toArray();
    }

    private static boolean hasLeader(PartitionInfo partition) {
        return partition.leader() != null && !partition.leader().isEmpty();
    }

    private static Set<Node> brokers(List<PartitionInfo> partitions) {
        Set<Node> brokers = new HashSet<>();
        for (PartitionInfo partition : partitions) {
            if (hasLeader(partition)) {
                brokers.add(partition.leader());
            }
            if (partition.replicas() != null) {
                brokers.addAll(List.of(partition.replicas()));
            }
        }
        return brokers;
    }

    /** One partition of the topic. */
    static final class Slot {
        final Partition partition;
        final TopicPartition kafka;

        /**
         * The acknowledgement of an append whose offset does not matter yet; one object for all
         * records.
         */
        final RecordMetadata appended;

        /** The same as a future. */
        final Future<RecordMetadata> appendedFuture;

        Lane.Output output;

        Slot(String topic, int number, Lane lane, ZoneMap zones) {
            partition = new Partition(topic, number);
            kafka = new TopicPartition(topic, number);
            appended = new RecordMetadata(kafka, 0, 0, 0, 0, 0);
            appendedFuture = CompletableFuture.completedFuture(appended);
            output = lane.output(partition, zone(zones));
        }

        private void move(Lane lane, ZoneMap zones) {
            output = lane.output(partition, zone(zones));
        }

        /**
         * The zone of the partition's reader. All partitions whose zone is unknown have the same
         * one.
         */
        private Zone zone(ZoneMap zones) {
            return zones.zoneOf(partition).orElse(Zone.SINGLE);
        }
    }
}
