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
 * The assigned partitions whose records go through the Debatcher's queues. These are the partitions
 * that shuffle through blobs and, in {@link Mode#GENERAL}, all other partitions too, so that they
 * share {@code max.poll.records} fairly. Under Kafka Streams, records of other topics are passed on
 * unchanged. Owned by the consumer's thread.
 */
public final class AssignedPartitions {
    private final Consumer<byte[], byte[]> delegate;
    private final Debatcher<ConsumerRecord<byte[], byte[]>> debatcher;
    private final ConsumerWiring wiring;
    private final Map<TopicPartition, PartitionProgress> byPartition = new HashMap<>();
    private final Membership.Reading reading;

    /**
     * Partitions that were revoked or lost, while the real consumer still has them in its
     * assignment.
     */
    private final Set<TopicPartition> leaving = new HashSet<>();

    /**
     * The given-up notifications of the partitions. A producer that commits for this consumer may
     * read them from another thread.
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

    /** Whether the records of a partition go through the queues while it is assigned. */
    boolean isQueued(TopicPartition partition) {
        return wiring.mode() == Mode.GENERAL || isVirtual(partition);
    }

    /** The progress of a partition; null if it is not assigned or not queued. */
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

    /** The partitions without a start position. */
    List<PartitionProgress> notStarted() {
        List<PartitionProgress> waiting = new ArrayList<>();
        for (PartitionProgress progress : byPartition.values()) {
            if (!progress.started && !progress.leaving) {
                waiting.add(progress);
            }
        }
        return waiting;
    }

    /** Follows the real consumer's assignment: drops revoked partitions and adds new ones. */
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
        announce();
    }

    /** Publishes which partitions and topics this consumer reads. */
    private void announce() {
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

    /** Publishes that this consumer reads nothing any more. */
    public void close() {
        reading.close();
    }

    /** Drops partitions and their queues. */
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

    /** Skips notifications of a partition. */
    void giveUp(PartitionProgress progress, GivenUp givenUp) {
        progress.delivered.giveUp(givenUp);
        if (givenUp.ranges().isEmpty()) {
            notes.remove(progress.kafka);
        } else {
            notes.put(progress.kafka, givenUp);
        }
    }

    /** The given-up notifications by partition. Thread-safe; changes with the assignment. */
    public Map<TopicPartition, GivenUp> notes() {
        return notes;
    }

    public void dropAll() {
        drop(List.copyOf(byPartition.keySet()));
        leaving.clear();
    }

    /**
     * Drops partitions that were revoked or lost. Kafka's newer consumer removes them on its own
     * thread, soon after the callback. Until then they are still in the assignment.
     */
    public void revoked(Collection<TopicPartition> partitions) {
        drop(partitions);
        leaving.addAll(partitions);
        leaving.retainAll(delegate.assignment());
    }

    /**
     * Adds partitions that were assigned. Kafka's newer consumer has them in its assignment before
     * it runs the callback. A seek, a pause or a start since then has reached the real consumer
     * too, so the progress of such a partition is kept.
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

    /** Empties a partition's queue before reading continues at another position. */
    public void emptyQueue(PartitionProgress progress) {
        debatcher.drop(progress.partition);
        if (progress.pausedByUser) {
            debatcher.pause(progress.partition);
        }
    }

    /** Returns to an index of a real offset, and drops everything queued. */
    void rewind(PartitionProgress progress, long real, int index, OffsetAndMetadata seek) {
        emptyQueue(progress);
        seek(progress, seek);
        progress.startAt(real, index);
    }

    /** Moves the real consumer to another offset. */
    void seek(PartitionProgress progress, OffsetAndMetadata real) {
        unlessGone(progress, () -> delegate.seek(progress.kafka, real));
    }

    /**
     * Runs a call unless the partition is gone: Kafka's newer consumer may revoke a partition after
     * we have checked the assignment. The next {@link #reconcile} drops such a partition.
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
        inOrder(partitions, delegate::pause, this::pausedByUser);
    }

    private void pausedByUser(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            PartitionProgress progress = of(partition);
            if (progress != null) {
                progress.pausedByUser = true;
                debatcher.pause(progress.partition);
            }
        }
    }

    public void resumeByUser(Collection<TopicPartition> partitions) {
        inOrder(partitions, delegate::resume, this::resumedByUser);
    }

    private void resumedByUser(Collection<TopicPartition> partitions) {
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

    /**
     * Calls the real consumer for several partitions, and then follows it. Kafka's consumer works
     * in the order of the partitions, and refuses the first that is not assigned. Those before it
     * have changed then.
     *
     * @param call of the real consumer
     * @param following the same for this wrapper
     */
    void inOrder(
            Collection<TopicPartition> partitions,
            java.util.function.Consumer<Collection<TopicPartition>> call,
            java.util.function.Consumer<Collection<TopicPartition>> following) {
        try {
            call.accept(partitions);
        } catch (IllegalStateException e) {
            Set<TopicPartition> assignment = delegate.assignment();
            following.accept(partitions.stream().takeWhile(assignment::contains).toList());
            throw e;
        }
        following.accept(partitions);
    }

    /** Pauses the real consumer for a partition; the user does not see it. */
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

    /** Whether no records are queued for a partition. */
    boolean isQueueEmpty(PartitionProgress progress) {
        return debatcher.queuedItems(progress.partition) == 0;
    }

    /** Position of the next record to return; null if only the real consumer knows it. */
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
     * Records between the position and the end: records in the log, as the real consumer reports
     * them, plus records in the queue.
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
