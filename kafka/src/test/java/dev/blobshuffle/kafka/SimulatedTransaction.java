package dev.blobshuffle.kafka;

import java.util.ArrayList;
import java.util.List;

/** A transaction of a {@link SimulatedCoordinator}. Guarded by the simulation's baton. */
final class SimulatedTransaction {
    private enum State {
        OPEN,
        COMMITTED,
        ABORTED
    }

    private final String id;
    private final int epoch;
    private final List<Runnable> commits = new ArrayList<>();
    private final List<Runnable> markers = new ArrayList<>();
    private State state = State.OPEN;
    private boolean isDecided;

    SimulatedTransaction(String id, int epoch) {
        this.id = id;
        this.epoch = epoch;
    }

    String id() {
        return id;
    }

    int epoch() {
        return epoch;
    }

    /** Adds an effect of the commit. */
    void atCommit(Runnable effect) {
        commits.add(effect);
    }

    /** Adds an effect of the end: its control records. */
    void atEnd(Runnable marker) {
        markers.add(marker);
    }

    /** Called when the coordinator knows the outcome. Readers do not see it yet. */
    void decide() {
        isDecided = true;
    }

    boolean isDecided() {
        return isDecided;
    }

    void end(boolean isCommit) {
        state = isCommit ? State.COMMITTED : State.ABORTED;
        if (isCommit) {
            commits.forEach(Runnable::run);
        }
        markers.forEach(Runnable::run);
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    boolean isCommitted() {
        return state == State.COMMITTED;
    }
}
