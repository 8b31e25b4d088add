package dev.blobshuffle.kafka;

import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.RebalanceInProgressException;

/**
 * A simulated consumer with the order of events of {@code group.protocol=classic}: the whole
 * rebalance runs inside polls. With an eager assignor, all partitions are revoked before the member
 * joins, while they are still visible. With a cooperative assignor, the partitions that the member
 * did not get back are revoked when the generation begins, and the member joins again. New
 * partitions are visible in their callback. A member whose session has timed out loses all
 * partitions, and may be rejected for a while. Owned by the simulated thread that uses it.
 */
final class ClassicConsumer extends SimulatedConsumer {
    private final ClassicGroup group;
    private boolean isLost;
    private boolean isJoining;
    private int generation = -1;

    ClassicConsumer(
            SimulatedBroker broker,
            ClassicGroup group,
            SimulatedTime time,
            SimulatedProcess process,
            BooleanSupplier isFaulty) {
        super(broker, group, time, process, isFaulty);
        this.group = group;
    }

    /** Simulates the heartbeat thread. */
    @Override
    void background() {
        if (group.isMember(member)) {
            group.heartbeat(member, process.nanos());
        } else {
            isLost = true;
        }
    }

    @Override
    void rebalance() {
        if (isLost) {
            isJoining = false;
            generation = -1;
            lose();
            if (group.isRefusing()) {
                throw new InconsistentGroupProtocolException("A member has no assignor in common with the others.");
            }
            isLost = false;
            member = group.join(process.nanos());
        }
        if (group.isAwaited(member)) {
            if (isJoining) {
                // The next rebalance began before this member saw its generation.
                group.rejoin(member, assigned);
            } else {
                prepare();
            }
        }
        group.advance();
        if (isJoining && group.isMember(member) && !group.isWaiting(member) && !group.isAwaited(member)) {
            complete();
        }
    }

    private void lose() {
        try {
            if (!assigned.isEmpty()) {
                listener.onPartitionsLost(kafka(assigned));
            }
        } finally {
            forget(Set.copyOf(assigned));
        }
    }

    private void prepare() {
        if (!group.isCooperative() && !assigned.isEmpty()) {
            try {
                listener.onPartitionsRevoked(kafka(assigned));
            } finally {
                forget(Set.copyOf(assigned));
            }
        }
        if (group.isMember(member)) {
            isJoining = true;
            group.rejoin(member, assigned);
        }
    }

    private void complete() {
        isJoining = false;
        generation = group.generation();
        Set<Integer> now = Set.copyOf(group.assignment(member));
        Set<Integer> revoked = new TreeSet<>(assigned);
        revoked.removeAll(now);
        try {
            if (!revoked.isEmpty()) {
                listener.onPartitionsRevoked(kafka(revoked));
                group.rebalance();
            }
        } finally {
            forget(revoked);
        }
        Set<Integer> added = new TreeSet<>(now);
        added.removeAll(assigned);
        assigned.addAll(added);
        listener.onPartitionsAssigned(kafka(added));
    }

    @Override
    Set<Integer> readable() {
        return assigned;
    }

    @Override
    int generation() {
        return generation;
    }

    @Override
    void checkCommit() {
        if (isJoining) {
            throw new RebalanceInProgressException("The group is rebalancing.");
        }
    }
}
