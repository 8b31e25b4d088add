package dev.blobshuffle.flink.internal.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The events of a schedule, and the promises that were broken. Guarded by the simulation's baton.
 */
final class FlinkLedger {
    /** Enough to understand a failure. */
    private static final int MOST_VIOLATIONS = 10;

    private final Map<FlinkFault, Integer> faults = new EnumMap<>(FlinkFault.class);
    private final List<String> violations = new ArrayList<>();

    void fault(FlinkFault fault) {
        faults.merge(fault, 1, Integer::sum);
    }

    void violation(String what) {
        if (violations.size() < MOST_VIOLATIONS) {
            violations.add(what);
        }
    }

    boolean isBroken() {
        return !violations.isEmpty();
    }

    List<String> violations() {
        return List.copyOf(violations);
    }

    Map<FlinkFault, Integer> faults() {
        return Map.copyOf(faults);
    }
}
