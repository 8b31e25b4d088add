package dev.blobshuffle.kafka;

import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * A simulated consumer with the order of events of {@code group.protocol=consumer}: a background
 * thread changes the assignment at any call, and callbacks run in a later poll. A new partition is
 * visible before its callback and read after it. A revoked partition stays visible for a while
 * after its callback. Owned by the simulated thread that uses it.
 */
final class ConsumerProtocolConsumer extends SimulatedConsumer {
    private final ConsumerGroup group;
    private final Set<Integer> awaitingCallback = new TreeSet<>();
    private final Set<Integer> revoking = new TreeSet<>();
    private boolean isRevocationTold;
    private boolean isLossToBeTold;

    ConsumerProtocolConsumer(
            SimulatedBroker broker,
            ConsumerGroup group,
            SimulatedTime time,
            SimulatedProcess process,
            BooleanSupplier isFaulty) {
        super(broker, group, time, process, isFaulty);
        this.group = group;
    }

    @Override
    void background() {
        if (!group.isMember(member)) {
            isLossToBeTold = true;
            return;
        }
        group.heartbeat(member, process.nanos());
        if (!revoking.isEmpty()) {
            if (isRevocationTold) {
                isRevocationTold = false;
                revoking.forEach(partition -> group.letGo(partition, member));
                awaitingCallback.removeAll(revoking);
                forget(revoking);
                revoking.clear();
            }
            return;
        }
        for (int partition = 0; partition < broker.partitions(); partition++) {
            if (assigned.contains(partition) && !group.isMeant(partition, member)) {
                revoking.add(partition);
            } else if (!assigned.contains(partition) && group.own(partition, member)) {
                assigned.add(partition);
                awaitingCallback.add(partition);
            }
        }
    }

    @Override
    void rebalance() {
        if (isLossToBeTold) {
            isLossToBeTold = false;
            listener.onPartitionsLost(kafka(assigned));
            awaitingCallback.clear();
            forget(Set.copyOf(assigned));
            revoking.clear();
            isRevocationTold = false;
            member = group.join(process.nanos());
        }
        if (!revoking.isEmpty() && !isRevocationTold) {
            listener.onPartitionsRevoked(kafka(revoking));
            isRevocationTold = true;
        }
        if (!awaitingCallback.isEmpty()) {
            Set<Integer> told = Set.copyOf(awaitingCallback);
            try {
                listener.onPartitionsAssigned(kafka(told));
            } finally {
                awaitingCallback.removeAll(told);
            }
        }
    }

    @Override
    Set<Integer> readable() {
        Set<Integer> readable = new TreeSet<>(assigned);
        readable.removeAll(awaitingCallback);
        readable.removeAll(revoking);
        return readable;
    }

    @Override
    int generation() {
        return 0;
    }

    @Override
    void checkCommit() {}
}
