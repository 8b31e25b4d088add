package dev.blobshuffle.kafka;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The members of a simulated group of any protocol. Guarded by the simulation's baton. */
abstract class SimulatedGroup {
    private final Map<Integer, Long> members = new TreeMap<>();
    private int joined;

    /** A member joins. @return its number */
    final int join(long nowNanos) {
        members.put(++joined, nowNanos);
        joined(joined);
        return joined;
    }

    /** A member leaves or times out: its partitions become free. */
    final void fence(int member) {
        if (members.remove(member) != null) {
            left(member);
        }
    }

    final boolean isMember(int member) {
        return members.containsKey(member);
    }

    final List<Integer> members() {
        return List.copyOf(members.keySet());
    }

    final void heartbeat(int member, long nowNanos) {
        members.computeIfPresent(member, (known, before) -> nowNanos);
    }

    /** Fences members that were silent for too long. */
    final void expire(long silentSinceNanos) {
        Set<Integer> silent = new HashSet<>();
        members.forEach((member, last) -> {
            if (silentSinceNanos - last > 0) {
                silent.add(member);
            }
        });
        silent.forEach(this::fence);
    }

    abstract void joined(int member);

    abstract void left(int member);

    /** Whether the group accepts a commit of a member with the given generation. */
    abstract boolean isCurrent(int member, int generation);

    /** A step of the coordinator. */
    abstract void advance();

    /** Causes a change that moves partitions. */
    abstract void shake();
}
