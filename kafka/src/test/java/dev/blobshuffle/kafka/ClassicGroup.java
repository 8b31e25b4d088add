package dev.blobshuffle.kafka;

import dev.blobshuffle.simulator.SimulatedTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A simulated group of the classic protocol. In a rebalance every member joins, or is removed if it
 * is late; then a generation begins. With cooperative assignors, members keep their partitions
 * across it, and a partition that moves has no owner for one generation. Guarded by the
 * simulation's baton.
 */
final class ClassicGroup extends SimulatedGroup {
    private static final long REBALANCE_NANOS = 3_000_000_000L;

    private final SimulatedTime time;
    private final int partitions;
    private final boolean isCooperative;

    /** The partitions of each member when it joined; only members that have joined. */
    private final Map<Integer, Set<Integer>> joined = new TreeMap<>();

    private final Map<Integer, Set<Integer>> assignment = new HashMap<>();
    private boolean isRebalancing;
    private long rebalanceEnd;
    private int generation;
    private long refusalEnd;

    ClassicGroup(SimulatedTime time, int partitions, boolean isCooperative) {
        this.time = time;
        this.partitions = partitions;
        this.isCooperative = isCooperative;
        refusalEnd = time.nanos();
    }

    /** Simulates a native member for a while: members that read notifications cannot join. */
    void refuse(long nanos) {
        refusalEnd = time.nanos() + nanos;
    }

    boolean isRefusing() {
        return time.nanos() - refusalEnd < 0;
    }

    boolean isCooperative() {
        return isCooperative;
    }

    @Override
    void joined(int member) {
        rebalance();
    }

    @Override
    void left(int member) {
        joined.remove(member);
        assignment.remove(member);
        rebalance();
    }

    @Override
    boolean isCurrent(int member, int seen) {
        return isMember(member) && seen == generation;
    }

    /** Starts a rebalance, if none runs. */
    void rebalance() {
        if (!isRebalancing) {
            isRebalancing = true;
            rebalanceEnd = time.nanos() + REBALANCE_NANOS;
            joined.clear();
        }
    }

    @Override
    void shake() {
        rebalance();
    }

    /** Whether a member has to join again. */
    boolean isAwaited(int member) {
        return isRebalancing && isMember(member) && !joined.containsKey(member);
    }

    /** Called when a member joins the rebalance. */
    void rejoin(int member, Set<Integer> owned) {
        rebalance();
        joined.put(member, Set.copyOf(owned));
    }

    /** Whether a member awaits its generation. */
    boolean isWaiting(int member) {
        return isRebalancing && joined.containsKey(member);
    }

    int generation() {
        return generation;
    }

    Set<Integer> assignment(int member) {
        return assignment.getOrDefault(member, Set.of());
    }

    @Override
    void advance() {
        if (!isRebalancing) {
            return;
        }
        if (time.nanos() - rebalanceEnd > 0) {
            for (int member : members()) {
                if (!joined.containsKey(member)) {
                    fence(member);
                }
            }
        }
        if (!members().isEmpty() && joined.keySet().containsAll(members())) {
            assign();
        }
    }

    private void assign() {
        isRebalancing = false;
        generation++;
        assignment.clear();
        List<Integer> members = members();
        for (int partition = 0; partition < partitions; partition++) {
            Integer owner = owner(partition);
            int next = owner != null && time.random(3) > 0 ? owner : members.get(time.random(members.size()));
            if (owner == null || owner == next) {
                assignment.computeIfAbsent(next, key -> new TreeSet<>()).add(partition);
            }
        }
    }

    private @Nullable Integer owner(int partition) {
        for (Map.Entry<Integer, Set<Integer>> member : joined.entrySet()) {
            if (member.getValue().contains(partition)) {
                return member.getKey();
            }
        }
        return null;
    }
}
