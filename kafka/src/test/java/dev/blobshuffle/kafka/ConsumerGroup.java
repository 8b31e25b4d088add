package dev.blobshuffle.kafka;

import dev.blobshuffle.simulator.SimulatedTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A simulated group of the consumer protocol (KIP-848): a partition gets a new owner only after the
 * old owner has released it or is fenced. Guarded by the simulation's baton.
 */
final class ConsumerGroup extends SimulatedGroup {
    private final SimulatedTime time;
    private final int partitions;
    private final Map<Integer, Integer> targets = new HashMap<>();
    private final Map<Integer, Integer> owners = new HashMap<>();

    ConsumerGroup(SimulatedTime time, int partitions) {
        this.time = time;
        this.partitions = partitions;
    }

    @Override
    void joined(int member) {}

    @Override
    void left(int member) {
        owners.values().removeIf(owner -> owner == member);
        targets.values().removeIf(target -> target == member);
    }

    @Override
    boolean isCurrent(int member, int generation) {
        return isMember(member);
    }

    @Override
    void advance() {
        List<Integer> members = members();
        for (int partition = 0; partition < partitions && !members.isEmpty(); partition++) {
            if (!targets.containsKey(partition)) {
                targets.put(partition, members.get(time.random(members.size())));
            }
        }
    }

    @Override
    void shake() {
        List<Integer> members = members();
        if (!members.isEmpty()) {
            targets.put(time.random(partitions), members.get(time.random(members.size())));
        }
    }

    boolean isMeant(int partition, int member) {
        return targets.getOrDefault(partition, -1) == member;
    }

    /** Gives a member a partition that is assigned to it, if the last owner has released it. */
    boolean own(int partition, int member) {
        return isMeant(partition, member)
                && isMember(member)
                && owners.computeIfAbsent(partition, free -> member) == member;
    }

    void letGo(int partition, int member) {
        owners.remove(partition, member);
    }
}
