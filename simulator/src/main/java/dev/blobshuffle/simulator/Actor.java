package dev.blobshuffle.simulator;

/**
 * A thread of a simulated process. Used by actors and timers of the simulation, and by the test's
 * thread while nothing runs.
 */
public final class Actor {
    private final Simulation simulation;
    private final Activity activity;

    Actor(Simulation simulation, Activity activity) {
        this.simulation = simulation;
        this.activity = activity;
    }

    /** The actor's name, for reports. */
    public String name() {
        return activity.name;
    }

    /**
     * Ends the actor with {@link SimulatedCrash} at its next yield point, or at the one where it
     * waits. Idempotent.
     */
    public void kill() {
        simulation.kill(activity);
    }

    /** Whether the actor has not ended. */
    public boolean isAlive() {
        return !activity.isEnded;
    }

    /** Yield points that the actor has reached. */
    public long steps() {
        return activity.steps;
    }

    /** The work of an actor. */
    @FunctionalInterface
    public interface Body {
        /** Runs once. */
        void run() throws Exception;
    }
}
