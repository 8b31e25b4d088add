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
 * A lane's outputs to the partitions of one topic, and the choice among them where the application
 * makes none: by the key's hash as Kafka's producer does, and without a key one partition per
 * batch. Notices changed partitions after a loss, with the first record after each batch, and after
 * at most {@link #REFRESH} records: added ones, and fewer where the topic was made again. The real
 * producer answers from its metadata. Guarded as the lane is.
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

    /** Where records without key may go: partitions with a leader, or all if none has one. */
    private int[] available = {};

    /** Made of the partitions on request. */
    private @Nullable Cluster cluster;

    private final Changes changes;
    private int sinceRefresh = REFRESH;
    private long refreshedAt;

    /** Fewer partitions are refused. */
    private int least;

    private int sticky;
    private long stickySince;

    /**
     * What changes of the topic's partitions mean.
     *
     * @param isShrinkingRefused whether fewer partitions are a mistake until something is lost, for
     *     keys would move to tasks that lack their state; else the topic was made again
     * @param count the number of a topic's partitions as brokers know it now; 0 for topics that get
     *     no partitions while a producer is open
     */
    record Changes(boolean isShrinkingRefused, ToIntFunction<String> count) {
        /** Those of Kafka Streams' topics. */
        static final Changes REFUSED = new Changes(true, unchanged -> 0);

        /** Records go to the partitions that the topic has now. */
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
     * @param batches batches sent so far: with each, records without key move to another partition
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
     * The topic's partitions and the brokers that hold them, for the application's own partitioner:
     * as the real producer knows them now.
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
     * @param batches batches sent so far
     * @throws InvalidPartitionsException fatal: the topic has no such partition
     * @throws UnknownTopicOrPartitionException recoverable: partitions that the topic had are gone,
     *     or the producer's metadata lacks them
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
     * The real producer's metadata may be older than a partition. It looks for the partition once a
     * notification goes there.
     */
    private void growTo(int count) {
        if (count > slots.length) {
            slots = Arrays.copyOf(slots, count);
        }
    }

    /**
     * Readers may be in other zones now. What is not sealed yet goes there as well; the order
     * within a partition stays.
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
     * Something was lost: the next choice looks at the topic's partitions afresh, for the lost
     * one's may be gone.
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
         * Acknowledges an append where the offset does not matter yet: one object for all records.
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

        /** While the zone is unknown, all are alike. */
        private Zone zone(ZoneMap zones) {
            return zones.zoneOf(partition).orElse(Zone.SINGLE);
        }
    }
}
