package dev.blobshuffle.core.internal.owner;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Visits every state that a scenario can reach, in breadth-first order. Visited states are
 * recognized by a hash of 64 bits. Owned by one thread.
 */
final class OwnerExplorer {
    private final OwnerScenario scenario;
    private final int most;
    private final LongSupplier nanos;
    private final long until;
    private final Consumer<OwnerWorld> visitor;
    private long[] table = new long[1 << 16];
    private int[] parents = new int[1 << 15];
    private short[] moves = new short[1 << 15];
    private int count;

    /**
     * The result of an exploration.
     *
     * @param states the number of visited states
     * @param depth the number of moves to the last of them
     * @param isComplete whether all reachable states were visited
     * @param violation the shortest path to a violation, one move per line; empty if there is none
     */
    record Found(int states, int depth, boolean isComplete, List<String> violation) {
        @Override
        public String toString() {
            return states + " states, depth " + depth + (isComplete ? ", complete" : ", cut off")
                    + (violation.isEmpty() ? "" : "\n  " + String.join("\n  ", violation));
        }
    }

    /**
     * An explorer that has not started.
     *
     * @param most the most states to visit
     * @param until the time at which the exploration ends
     */
    OwnerExplorer(OwnerScenario scenario, int most, LongSupplier nanos, long until) {
        this(scenario, most, nanos, until, world -> {});
    }

    /**
     * @param visitor receives each state
     */
    OwnerExplorer(OwnerScenario scenario, int most, LongSupplier nanos, long until, Consumer<OwnerWorld> visitor) {
        this.visitor = visitor;
        this.scenario = scenario;
        this.most = most;
        this.nanos = nanos;
        this.until = until;
    }

    /** The state in which a scenario starts: its running instances have checked. */
    static OwnerWorld start(OwnerScenario scenario) {
        OwnerWorld world = new OwnerWorld(scenario);
        byte[] left = world.left.clone();
        Arrays.fill(world.left, (byte) 9);
        for (int i : scenario.running) {
            OwnerWorld.Actor actor = world.actor(i);
            actor.isUp = true;
            boolean wasFine = scenario.isFine;
            scenario.isFine = false;
            world = java.util.Objects.requireNonNull(
                    OwnerMoves.after(world, OwnerMoves.code(OwnerMoves.Kind.CHECK, i)));
            scenario.isFine = wasFine;
        }
        for (int code : scenario.prelude) {
            world = java.util.Objects.requireNonNull(OwnerMoves.after(world, code));
        }
        world.left = left;
        return world;
    }

    Found explore() {
        int[] codes = OwnerMoves.of(scenario);
        ArrayDeque<OwnerWorld> frontier = new ArrayDeque<>();
        OwnerWorld first = start(scenario);
        isNew(first, -1, 0);
        frontier.add(first);
        int depth = 0;
        int index = 0;
        int endOfLevel = count;
        while (!frontier.isEmpty()) {
            if (index == endOfLevel) {
                depth++;
                endOfLevel = count;
            }
            OwnerWorld world = frontier.remove();
            visitor.accept(world);
            for (int code : codes) {
                OwnerWorld next = OwnerMoves.after(world, code);
                if (next != null && isNew(next, index, code)) {
                    if (next.violation != null) {
                        return new Found(count, depth + 1, false, way(count - 1, next.violation));
                    }
                    frontier.add(next);
                }
            }
            index++;
            if (count >= most || ((index & 1023) == 0 && nanos.getAsLong() - until > 0)) {
                return new Found(count, depth, frontier.isEmpty(), List.of());
            }
        }
        return new Found(count, depth, true, List.of());
    }

    private List<String> way(int last, String violation) {
        List<Integer> codes = new ArrayList<>();
        for (int at = last; parents[at] >= 0; at = parents[at]) {
            codes.add(0, (int) moves[at]);
        }
        List<String> way = new ArrayList<>();
        OwnerWorld world = start(scenario);
        for (int code : codes) {
            way.add(OwnerMoves.describe(world, code));
            OwnerText before = world.text;
            world = java.util.Objects.requireNonNull(OwnerMoves.after(world, code));
            if (!before.equals(world.text)) {
                way.add("    register: "
                        + world.text
                                .text()
                                .substring(world.text.text().indexOf('\n') + 1)
                                .strip()
                                .replace("\n", "; "));
            }
        }
        way.add("=> " + violation);
        return way;
    }

    private boolean isNew(OwnerWorld world, int parent, int code) {
        long hash = new OwnerHash(world).value();
        hash = hash == 0 ? 1 : hash;
        if (count * 2 >= table.length) {
            grow();
        }
        int slot = slot(table, hash);
        if (table[slot] == hash) {
            return false;
        }
        table[slot] = hash;
        if (count == parents.length) {
            parents = Arrays.copyOf(parents, count * 2);
            moves = Arrays.copyOf(moves, count * 2);
        }
        parents[count] = parent;
        moves[count] = (short) code;
        count++;
        return true;
    }

    private static int slot(long[] table, long hash) {
        int slot = (int) (hash ^ hash >>> 32) & table.length - 1;
        while (table[slot] != 0 && table[slot] != hash) {
            slot = slot + 1 & table.length - 1;
        }
        return slot;
    }

    private void grow() {
        long[] larger = new long[table.length * 2];
        for (long hash : table) {
            if (hash != 0) {
                larger[slot(larger, hash)] = hash;
            }
        }
        table = larger;
    }
}
