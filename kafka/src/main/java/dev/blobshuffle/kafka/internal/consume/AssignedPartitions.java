package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.position.GivenUp;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The assigned partitions whose records pass through the Debatcher's queues: those that shuffle
 * through blobs and, in {@link Mode#GENERAL}, all others too, so that {@code max.poll.records} is
 * shared fairly. Under Kafka Streams other topics pass untouched. Owned by the consumer's thread.
 */
public final class AssignedPartitions {
    private final Consumer<byte[], byte[]> delegate;
    private final Debatcher<ConsumerRecord<byte[], byte[]>> debatcher;
    private final ConsumerWiring wiring;
    private final Map<TopicPartition, PartitionProgress> byPartition = new HashMap<>();
    private final Membership.Reading reading;

    /**
     * Partitions that were revoked or lost and that the real consumer has not removed from its
     * assignment yet.
     */
    private final Set<TopicPartition> leaving = new HashSet<>();

    /**
     * What is left out of the partitions. A producer that commits for this consumer may look from
     * another thread.
     */
    private final Map<TopicPartition, GivenUp> notes = new ConcurrentHashMap<>();

    private boolean hasChanged;

    public AssignedPartitions(
            Consumer<byte[], byte[]> delegate,
            Debatcher<ConsumerRecord<byte[], byte[]>> debatcher,
            ConsumerWiring wiring) {
        this.delegate = delegate;
        this.debatcher = debatcher;
        this.wiring = wiring;
        this.reading = wiring.membership().reading();
    }

    public boolean isVirtual(TopicPartition partition) {
        return wiring.topics().matches(partition.topic());
    }

    /** Whether the records of a partition pass through the queues while it is assigned. */
    boolean isQueued(TopicPartition partition) {
        return wiring.mode() == Mode.GENERAL || isVirtual(partition);
    }

    /** The progress of a partition; null if it is not assigned, or passes untouched. */
    @Nullable
    public PartitionProgress of(TopicPartition partition) {
        PartitionProgress known = byPartition.get(partition);
        if (known == null && isQueued(partition)) {
            reconcile();
            known = byPartition.get(partition);
        }
        return known;
    }

    Collection<PartitionProgress> all() {
        return byPartition.values();
    }

    /** Those that have no place to start yet. */
    List<PartitionProgress> notStarted() {
        List<PartitionProgress> waiting = new ArrayList<>();
        for (PartitionProgress progress : byPartition.values()) {
            if (!progress.started && !progress.leaving) {
                waiting.add(progress);
            }
        }
        return waiting;
    }

    /** Takes over the real consumer's assignment: drops what left, adds what came. */
    public void reconcile() {
        Set<TopicPartition> assignment = delegate.assignment();
        leaving.retainAll(assignment);
        if (!byPartition.isEmpty() && !assignment.containsAll(byPartition.keySet())) {
            List<TopicPartition> gone = new ArrayList<>(byPartition.keySet());
            gone.removeAll(assignment);
            drop(gone);
        }
        for (TopicPartition partition : assignment) {
            if (!byPartition.containsKey(partition) && isQueued(partition)) {
                byPartition.put(
                        partition, new PartitionProgress(partition, isVirtual(partition), leaving.contains(partition)));
                hasChanged = true;
            }
        }
        tell();
    }

    /** Others hear what this consumer reads. */
    private void tell() {
        if (hasChanged) {
            hasChanged = false;
            Set<Partition> read = new HashSet<>();
            for (PartitionProgress progress : byPartition.values()) {
                if (isVirtual(progress.kafka)) {
                    read.add(progress.partition);
                }
            }
            Set<String> subscribed = new HashSet<>(delegate.subscription());
            subscribed.removeIf(topic -> !wiring.topics().matches(topic));
            reading.subscribed(subscribed);
            reading.reads(read);
        }
    }

    /** Others hear that nothing is read any more. */
    public void close() {
        reading.close();
    }

    /** Forgets partitions with what is queued for them. */
    void drop(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            PartitionProgress progress = byPartition.remove(partition);
            if (progress != null) {
                debatcher.drop(progress.partition);
                notes.remove(partition);
                hasChanged = true;
            }
        }
    }

    /** Leaves notifications out of a partition. */
    void giveUp(PartitionProgress progress, GivenUp givenUp) {
        progress.delivered.giveUp(givenUp);
        if (givenUp.ranges().isEmpty()) {
            notes.remove(progress.kafka);
        } else {
            notes.put(progress.kafka, givenUp);
        }
    }

    /** What is left out of the partitions. Thread-safe; changes as partitions come and go. */
    public Map<TopicPartition, GivenUp> notes() {
        return notes;
    }

    public void dropAll() {
        drop(List.copyOf(byPartition.keySet()));
        leaving.clear();
    }

    /**
     * Forgets partitions that were revoked or lost. Kafka's newer consumer removes them on its own
     * thread, soon after the callback. Until then the assignment still shows them.
     */
    public void revoked(Collection<TopicPartition> partitions) {
        drop(partitions);
        leaving.addAll(partitions);
        leaving.retainAll(delegate.assignment());
    }

    /**
     * Takes over partitions that were assigned. Kafka's newer consumer shows them in its assignment
     * before it runs the callback. What the application or a poll did with such a partition
     * meanwhile (a seek, a pause, a start) happened to the real consumer too, so that it stays.
     */
    public void assigned(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            leaving.remove(partition);
            PartitionProgress progress = byPartition.get(partition);
            if (progress != null && progress.leaving) {
                drop(List.of(partition));
            }
        }
        reconcile();
    }

    /** Empties a partition's queue, for it will be read from elsewhere. */
    public void emptyQueue(PartitionProgress progress) {
        debatcher.drop(progress.partition);
        if (progress.pausedByUser) {
            debatcher.pause(progress.partition);
        }
    }

    /** Goes back to an index of a real offset, whatever was queued or read beyond. */
    void rewind(PartitionProgress progress, long real, int index, OffsetAndMetadata seek) {
        emptyQueue(progress);
        seek(progress, seek);
        progress.startAt(real, index);
    }

    /** Has the real consumer go on elsewhere. */
    void seek(PartitionProgress progress, OffsetAndMetadata real) {
        unlessGone(progress, () -> delegate.seek(progress.kafka, real));
    }

    /**
     * Kafka's newer consumer may take a partition away between our look at the assignment and the
     * call. The next {@link #reconcile} forgets such a partition.
     */
    private void unlessGone(PartitionProgress progress, Runnable call) {
        try {
            call.run();
        } catch (IllegalStateException e) {
            if (delegate.assignment().contains(progress.kafka)) {
                throw e;
            }
        }
    }

    public void pauseByUser(Collection<TopicPartition> partitions) {
        delegate.pause(partitions);
        for (TopicPartition partition : partitions) {
            PartitionProgress progress = of(partition);
            if (progress != null) {
                progress.pausedByUser = true;
                debatcher.pause(progress.partition);
            }
        }
    }

    public void resumeByUser(Collection<TopicPartition> partitions) {
        delegate.resume(partitions);
        for (TopicPartition partition : partitions) {
            PartitionProgress progress = of(partition);
            if (progress == null) {
                continue;
            }
            progress.pausedByUser = false;
            debatcher.resume(progress.partition);
            if (progress.pausedInside) {
                delegate.pause(List.of(partition));
            }
        }
    }

    /** Stops or restarts the real consumer for a partition without the user's knowledge. */
    void pauseInside(PartitionProgress progress) {
        progress.pausedInside = true;
        unlessGone(progress, () -> delegate.pause(List.of(progress.kafka)));
    }

    public void resumeInside(PartitionProgress progress) {
        progress.pausedInside = false;
        if (!progress.pausedByUser) {
            unlessGone(progress, () -> delegate.resume(List.of(progress.kafka)));
        }
    }

    /** Whether records are queued for a partition. */
    boolean isQueueEmpty(PartitionProgress progress) {
        return debatcher.queuedItems(progress.partition) == 0;
    }

    /**
     * Position of the next record to hand out, as far as it is known without asking the real
     * consumer; null if it is not.
     */
    @Nullable
    OffsetAndMetadata knownPosition(PartitionProgress progress) {
        var head = debatcher.head(progress.partition);
        if (head.isPresent()) {
            return progress.position(head.get().offset(), head.get().index());
        }
        OffsetAndMetadata next = progress.realNext();
        if (next == null) {
            return null;
        }
        long offset = progress.offset(next.offset(), progress.startIndex(next.offset()));
        return new OffsetAndMetadata(offset, next.leaderEpoch(), "");
    }

    /**
     * Records between the position and the end: those in the log, as the real consumer knows, and
     * those in the queue.
     */
    public OptionalLong lag(TopicPartition partition) {
        OptionalLong real = delegate.currentLag(partition);
        PartitionProgress progress = real.isPresent() ? of(partition) : null;
        if (progress == null) {
            return real;
        }
        return OptionalLong.of(Math.max(0, real.getAsLong()) + debatcher.undelivered(progress.partition));
    }
}
