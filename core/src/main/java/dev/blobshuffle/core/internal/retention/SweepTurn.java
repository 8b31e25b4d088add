package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.zone.Zone;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides whether this instance sweeps for its group. The instance that reads partition 0 of the
 * group's first topic (by name) does. The group protocol assigns that partition to one member, and
 * to another member when that one leaves. Two members may sweep right after a rebalance, and two
 * groups have two sweepers; this is harmless ({@link Sweep}).
 *
 * <p>It receives the consumers' reports in place of the membership, and forwards all of them to it.
 * Thread-safe.
 */
public final class SweepTurn implements Membership {
    private final Membership membership;
    private final AtomicInteger leading = new AtomicInteger();

    /** @param membership stays open; its owner closes it */
    public SweepTurn(Membership membership) {
        this.membership = membership;
    }

    /** Whether a consumer of this instance has the partition. */
    public boolean isOurs() {
        return leading.get() > 0;
    }

    @Override
    public Reading reading() {
        return new Watched(membership.reading());
    }

    /** Owned by the consumer's thread. */
    private final class Watched implements Reading {
        private final Reading reading;
        private Set<String> topics = Set.of();
        private boolean isLeading;

        Watched(Reading reading) {
            this.reading = reading;
        }

        @Override
        public void subscribed(Set<String> subscription) {
            topics = Set.copyOf(subscription);
            reading.subscribed(subscription);
        }

        @Override
        public void reads(Set<Partition> partitions) {
            Set<String> known = new HashSet<>(topics);
            if (known.isEmpty()) { // With manual assignment, the topics of other instances are unknown.
                partitions.forEach(partition -> known.add(partition.stream()));
            }
            lead(known.stream()
                    .min(String::compareTo)
                    .filter(first -> partitions.contains(new Partition(first, 0)))
                    .isPresent());
            reading.reads(partitions);
        }

        private void lead(boolean now) {
            if (now != isLeading) {
                isLeading = now;
                leading.addAndGet(now ? 1 : -1);
            }
        }

        @Override
        public void close() {
            lead(false);
            reading.close();
        }
    }

    @Override
    public void join(Optional<Member> self) {
        membership.join(self);
    }

    @Override
    public boolean isConnected() {
        return membership.isConnected();
    }

    @Override
    public List<Member> members() {
        return membership.members();
    }

    @Override
    public List<Member> members(Zone zone) {
        return membership.members(zone);
    }

    @Override
    public Optional<Zone> zoneOf(Partition partition) {
        return membership.zoneOf(partition);
    }

    @Override
    public long version() {
        return membership.version();
    }

    @Override
    public void close() {
        membership.close();
    }
}
