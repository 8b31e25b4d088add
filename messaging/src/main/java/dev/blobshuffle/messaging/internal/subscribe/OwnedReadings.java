package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.group.GroupSession;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.OwnedPartition;
import dev.blobshuffle.log.internal.tail.LogTails;
import dev.blobshuffle.messaging.RebalanceListener;
import dev.blobshuffle.messaging.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that a member reads, according to its group. A wanted partition is no longer read.
 * It is released when its returned records are committed, or after ten seconds. Owned by the
 * subscriber's thread.
 */
final class OwnedReadings {
    /** How long a wanted partition waits for the application's commit. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final GroupSession session;
    private final EntriesFeed feed;
    private final Membership.Reading announced;
    private final RebalanceListener listener;
    private final Time time;
    private final Map<Integer, TopicReading> topics = new LinkedHashMap<>();
    private final Map<Partition, PartitionReading> readings = new LinkedHashMap<>();
    private Map<LogPartition, OwnedPartition> seen = Map.of();
    private boolean isForfeited;

    OwnedReadings(
            Collection<LogTopic> topics,
            LogTails tails,
            GroupSession session,
            EntriesFeed feed,
            Membership.Reading announced,
            RebalanceListener listener,
            Time time,
            Runnable whenMore) {
        this.session = session;
        this.feed = feed;
        this.announced = announced;
        this.listener = listener;
        this.time = time;
        topics.forEach(topic -> this.topics.put(topic.number(), new TopicReading(topic, tails, whenMore)));
    }

    Collection<TopicReading> topics() {
        return topics.values();
    }

    /** All partitions of the member, including those that are leaving. */
    Collection<PartitionReading> all() {
        return readings.values();
    }

    /** A partition that the Debatcher has queued. */
    PartitionReading of(Partition partition) {
        PartitionReading reading = readings.get(partition);
        if (reading == null) {
            throw new IllegalStateException("Cannot return a record of " + partition + ": it is not read.");
        }
        return reading;
    }

    /** A partition by its name; null if the member does not read it. */
    @Nullable
    PartitionReading find(TopicPartition partition) {
        PartitionReading reading = readings.get(new Partition(partition.topic(), partition.partition()));
        return reading == null || reading.isLeaving ? null : reading;
    }

    /** Follows the group: adds, releases and drops partitions. Calls the listener. */
    void follow() {
        var owned = session.owned();
        boolean isSame = owned == seen;
        seen = owned;
        if (!isSame) {
            loseOthers(owned);
            leaveWanted(owned);
            takeOver(owned);
        }
        release();
    }

    private void loseOthers(Map<LogPartition, OwnedPartition> owned) {
        List<PartitionReading> lost = readings.values().stream()
                .filter(each -> {
                    OwnedPartition now = owned.get(each.numbered);
                    return now == null || now.generation() != each.generation;
                })
                .toList();
        lost.forEach(this::forget);
        report(lost, listener::onLost);
    }

    /** A pause ends, for the partition may come back. */
    private void forget(PartitionReading reading) {
        stopReading(reading);
        feed.forget(reading);
        readings.remove(reading.partition);
        isForfeited |= reading.isForfeitable;
    }

    /** Stops feeding and returning a partition. It keeps its position. */
    void stopReading(PartitionReading reading) {
        var position = feed.position(reading);
        topic(reading).remove(reading);
        feed.drop(reading);
        reading.from = position;
    }

    TopicReading topic(PartitionReading reading) {
        TopicReading topic = topics.get(reading.numbered.topic());
        if (topic == null) {
            throw new IllegalStateException(
                    "Cannot read " + reading.named + ": this subscriber has not subscribed to its topic.");
        }
        return topic;
    }

    /** The failure that a poll reports for a topic that no longer exists. */
    TopicAbsentException absent(int number, String group) {
        TopicReading reading = topics.get(number);
        String name =
                reading == null ? Integer.toString(number) : reading.topic().name();
        return new TopicAbsentException(
                "Cannot read topic '" + name + "' as group '" + group + "': it was deleted after this"
                        + " subscriber had been opened. If it exists again, it is another topic: open another subscriber.");
    }

    private void leaveWanted(Map<LogPartition, OwnedPartition> owned) {
        List<PartitionReading> wanted = readings.values().stream()
                .filter(each -> {
                    OwnedPartition now = owned.get(each.numbered);
                    return !each.isLeaving && now != null && now.isWanted();
                })
                .toList();
        for (PartitionReading each : wanted) {
            stopReading(each);
            each.isLeaving = true;
            each.leavingSince = time.nanos();
        }
        report(wanted, listener::onRevoked);
    }

    private void takeOver(Map<LogPartition, OwnedPartition> owned) {
        List<PartitionReading> added = new ArrayList<>();
        List<LogPartition> passed = new ArrayList<>();
        owned.values().stream()
                .sorted((one, other) -> one.partition().compareTo(other.partition()))
                .forEach(each -> {
                    TopicReading topic = topics.get(each.partition().topic());
                    if (topic == null) {
                        return;
                    }
                    PartitionReading reading = new PartitionReading(topic.topic(), each, time.nanos());
                    if (readings.containsKey(reading.partition)) {
                        return;
                    }
                    if (each.isWanted()) {
                        passed.add(each.partition());
                    } else {
                        readings.put(reading.partition, reading);
                        added.add(reading);
                    }
                });
        if (!passed.isEmpty()) {
            session.release(passed);
        }
        report(added, listener::onAssigned);
    }

    private void report(List<PartitionReading> changed, Consumer<Collection<TopicPartition>> to) {
        if (!changed.isEmpty()) {
            announced.reads(Set.copyOf(readings.keySet()));
            to.accept(changed.stream().map(each -> each.named).toList());
        }
    }

    private void release() {
        List<PartitionReading> released = readings.values().stream()
                .filter(each -> each.isLeaving && (!each.isDelivered || isOverdue(each)))
                .toList();
        if (!released.isEmpty()) {
            released.forEach(this::forget);
            announced.reads(Set.copyOf(readings.keySet()));
            session.release(released.stream().map(each -> each.numbered).toList());
        }
    }

    private boolean isOverdue(PartitionReading reading) {
        return time.nanos() - reading.leavingSince >= PATIENCE.toNanos();
    }

    /** Whether records were lost that were returned and not committed. Reports each loss once. */
    boolean takeForfeited() {
        boolean was = isForfeited;
        isForfeited = false;
        return was;
    }

    /** The member's partitions, by name. */
    Set<TopicPartition> names() {
        return readings.values().stream()
                .filter(each -> !each.isLeaving)
                .map(each -> each.named)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Stops everything. */
    void close() {
        topics.values().forEach(TopicReading::close);
        readings.clear();
        announced.close();
    }

    /** The current position of each partition. */
    Map<PartitionReading, Long> positions() {
        Map<PartitionReading, Long> positions = new LinkedHashMap<>();
        for (PartitionReading each : readings.values()) {
            if (each.start.isEmpty() || each.isDelivered) {
                positions.put(each, feed.position(each).value());
            }
        }
        return positions;
    }
}
