package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.group.Consumed.ConsumedPosition;
import dev.blobshuffle.log.internal.group.Member;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The positions that a member commits: those of each partition with returned records, and
 * periodically those of partitions that were only scanned. Owned by the subscriber's thread.
 */
final class Positions {
    /** How often the position of a partition without records is committed. */
    private static final Duration SCANNED = Duration.ofSeconds(5);

    private final OwnedReadings readings;
    private final Member member;
    private final Time time;
    private Map<PartitionReading, ConsumedPosition> captured = Map.of();

    Positions(OwnedReadings readings, Member member, Time time) {
        this.readings = readings;
        this.member = member;
        this.time = time;
    }

    /**
     * The positions to commit now; empty: none has changed.
     *
     * @throws ConsumerFencedException the group has taken partitions with records that were
     *     returned after the last commit; thrown once
     */
    Optional<Consumed> capture() {
        if (readings.takeForfeited()) {
            throw new ConsumerFencedException("Cannot commit positions of group '" + member.group()
                    + "': the group has given some of the partitions to another member. Roll back, and poll.");
        }
        Map<PartitionReading, ConsumedPosition> moved = new LinkedHashMap<>();
        readings.positions().forEach((reading, position) -> {
            if (isDue(reading, position)) {
                moved.put(
                        reading,
                        new ConsumedPosition(reading.numbered, reading.generation, position, Optional.empty()));
            }
        });
        return capture(moved);
    }

    /** The starts of partitions in which the group had no position, if it must remember them. */
    Optional<Consumed> captureStarts() {
        Map<PartitionReading, ConsumedPosition> starts = new LinkedHashMap<>();
        for (PartitionReading each : readings.all()) {
            if (each.isStartUncommitted && each.start.isEmpty() && !each.isLeaving && !each.isDelivered) {
                starts.put(
                        each,
                        new ConsumedPosition(each.numbered, each.generation, each.anchor.value(), Optional.empty()));
            }
        }
        return capture(starts);
    }

    private Optional<Consumed> capture(Map<PartitionReading, ConsumedPosition> positions) {
        captured = positions;
        List<ConsumedPosition> ordered = captured.values().stream()
                .sorted(Comparator.comparing(ConsumedPosition::partition))
                .toList();
        return ordered.isEmpty() ? Optional.empty() : Optional.of(new Consumed(member.group(), member.id(), ordered));
    }

    private boolean isDue(PartitionReading reading, long position) {
        boolean isMoved = reading.committed.isEmpty() || reading.committed.getAsLong() != position;
        boolean isOld = time.nanos() - reading.committedNanos >= SCANNED.toNanos();
        boolean isMarked = reading.isDelivered || reading.isLeaving || reading.isSoughtUncommitted;
        return isMoved && (isMarked || isOld);
    }

    /** Called when the last captured positions are committed. */
    void committed() {
        long now = time.nanos();
        captured.forEach((reading, position) -> reading.committed(position.position(), now));
        captured = Map.of();
    }

    /**
     * Called when the group has refused the last captured positions: the application knows its
     * loss.
     */
    void fenced() {
        readings.all().forEach(each -> each.isForfeitable = false);
        captured = Map.of();
    }

    /** The position of each partition after a rollback. */
    Map<PartitionReading, LogPosition> anchors() {
        Map<PartitionReading, LogPosition> anchors = new LinkedHashMap<>();
        readings.all().forEach(each -> {
            if (each.isDelivered) {
                anchors.put(each, each.anchor);
            }
        });
        return anchors;
    }
}
