package dev.blobshuffle.messaging.internal.publish;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.deliver.PendingAnswers;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.group.HomeZones;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.messaging.TopicPartition;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A lane's outputs to the partitions of one topic. It chooses partitions as Kafka's default
 * partitioner does: by the hash of the key, or, without a key, one partition at a time. Guarded
 * like the lane.
 */
final class TopicOutput {
    /**
     * Number of records without a key that go to one partition in a row, so that segments are
     * large.
     */
    private static final int STICKY_RECORDS = 512;

    private final Lane lane;
    private LogTopic topic;
    private final TopicHomes.Homes homes;
    private HomeZones zones;
    private @Nullable Slot[] slots;
    private int sticky;
    private int stickyRecords;

    TopicOutput(Lane lane, LogTopic topic, TopicHomes.Homes homes, long random) {
        this.lane = lane;
        this.topic = topic;
        this.homes = homes;
        zones = homes.current(topic.partitions());
        slots = new Slot[topic.partitions()];
        sticky = (int) (random & 0xffff);
    }

    LogTopic topic() {
        return topic;
    }

    /**
     * Ends the outputs, unless records wait in them.
     *
     * @return whether this object has ended: do not use it any more
     */
    boolean endIfIdle(PendingAnswers<?> promises) {
        for (int i = 0; i < slots.length; i++) {
            Slot slot = slots[i];
            if (slot != null && !(promises.forget(slot.partition) && lane.forget(slot.partition))) {
                return false;
            }
            slots[i] = null;
        }
        return true;
    }

    /** Follows a change of the topic or of its readers' zones. Cheap if there is none. */
    void update(LogTopic now) {
        if (now != topic) {
            topic = now;
            slots = Arrays.copyOf(slots, now.partitions());
        }
        HomeZones known = homes.current(now.partitions());
        if (known != zones) {
            zones = known;
            for (Slot slot : slots) {
                if (slot != null) {
                    slot.output = lane.output(slot.partition, zone(slot.partition.number()));
                }
            }
        }
    }

    /** The partition of a record. */
    int choose(byte @Nullable [] key) {
        if (key != null) {
            return KeyHash.of(key) % slots.length;
        }
        if (++stickyRecords >= STICKY_RECORDS) {
            stickyRecords = 0;
            sticky = (sticky + 1) & Integer.MAX_VALUE;
        }
        return sticky % slots.length;
    }

    /**
     * The output to a partition.
     *
     * @throws IllegalArgumentException the topic has no such partition
     */
    Slot slot(int partition) {
        if (partition < 0 || partition >= slots.length) {
            throw new IllegalArgumentException("Cannot publish to partition " + partition + " of topic " + topic.name()
                    + ": it has " + slots.length + " partitions. Choose one of them, or add partitions.");
        }
        Slot slot = slots[partition];
        if (slot == null) {
            Partition named = new Partition(topic.name(), partition);
            slot = new Slot(named, lane.output(named, zone(partition)));
            slots[partition] = slot;
        }
        return slot;
    }

    private Zone zone(int partition) {
        Zone home = zones.zone(new LogPartition(topic.number(), partition));
        return home == null ? Zone.SINGLE : home;
    }

    /** One partition of the topic. */
    static final class Slot {
        final Partition partition;
        final TopicPartition named;
        Lane.Output output;

        Slot(Partition partition, Lane.Output output) {
            this.partition = partition;
            this.named = new TopicPartition(partition.stream(), partition.number());
            this.output = output;
        }
    }
}
