package dev.blobshuffle.testkit.internal.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The events of a schedule: the faults that were injected and the promises that were broken.
 * Guarded by the simulation's baton.
 */
final class Ledger {
    /** Enough to understand a failure; one broken promise often breaks hundreds of records. */
    private static final int MOST_VIOLATIONS = 10;

    private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    private final List<String> violations = new ArrayList<>();

    private boolean hasSkips;

    /** Notes that an operator had readers skip a lost blob. */
    void skipped() {
        hasSkips = true;
    }

    /** Whether readers skipped a lost blob: without transactions there is a gap in the order. */
    boolean hasSkips() {
        return hasSkips;
    }

    /** Counts an injected fault. */
    void fault(Fault fault) {
        faults.merge(fault, 1, Integer::sum);
    }

    /** Whether any read returned other bytes than were stored. */
    boolean falsifiedReads() {
        return faults.containsKey(Fault.GET_TRUNCATED) || faults.containsKey(Fault.GET_FLIPPED);
    }

    /**
     * Whether a process went on beside its successor: without transactions both write, so that
     * there is no order.
     */
    boolean hasZombies() {
        return faults.containsKey(Fault.PROCESS_REPLACED);
    }

    /** Notes a broken promise. */
    void violation(String what) {
        if (violations.size() < MOST_VIOLATIONS) {
            violations.add(what);
        }
    }

    /** Whether a promise was broken: the schedule may end. */
    boolean isBroken() {
        return !violations.isEmpty();
    }

    List<String> violations() {
        return List.copyOf(violations);
    }

    Map<Fault, Integer> faults() {
        return Map.copyOf(faults);
    }
}
