package dev.blobshuffle.testkit;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The time, threads and actors of one simulated process, which can be killed as a whole: its actors and tasks end at their next yield point, its timers and queued
 * tasks never run. What it left in stores and channels goes on there. Used by actors and timers of the simulation, and by the test's thread while nothing runs.
 */
public final class SimulatedProcess implements Time {
    private final Simulation simulation;
    private final String name;
    private final Set<Activity> activities = new LinkedHashSet<>();
    private boolean isKilled;

    SimulatedProcess(Simulation simulation, String name) {
        this.simulation = simulation;
        this.name = name;
    }

    /** The process's name, for reports. */
    public String name() {
        return name;
    }

    @Override
    public long wallMillis() {
        return SimulatedTime.START_MILLIS + simulation.now() / 1_000_000;
    }

    @Override
    public long nanos() {
        return simulation.nanos();
    }

    @Override
    public long randomLong() {
        return simulation.random();
    }

    @Override
    public Signal signal() {
        return new SimulatedSignal(simulation);
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        SimulationEvent event = simulation.timer(simulation.in(delay.toNanos()), () -> {
            if (!isKilled) {
                task.run();
            }
        });
        return () -> event.isCancelled = true;
    }

    @Override
    public Workers workers(String workersName, int threads) {
        return new SimulatedWorkers(simulation, this, name + "/" + workersName, threads);
    }

    /**
     * Starts an actor: a thread of the process, which runs alone and lets others run at its yield points, {@link Signal#await} and {@link SimulatedTime#pause()}.
     * A failure of the body fails the simulation.
     */
    public Actor actor(String actorName, Actor.Body body) {
        Activity activity = activity(name + "/" + actorName, true);
        simulation.activity(simulation.now() + simulation.shortDelay(), activity, () -> {
            try {
                body.run();
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError("Actor " + activity.name + " failed.", e);
            }
        });
        return new Actor(simulation, activity);
    }

    Activity activity(String activityName, boolean isActor) {
        Activity activity = new Activity(activityName, this, isActor);
        activity.isKilled = isKilled;
        activities.add(activity);
        return activity;
    }

    void ended(Activity activity) {
        activities.remove(activity);
    }

    /** Ends the process as a crash does. Idempotent. */
    public void kill() {
        isKilled = true;
        List<Activity> victims = new ArrayList<>(activities);
        victims.forEach(simulation::kill);
    }

    /** Whether the process has not been killed. */
    public boolean isAlive() {
        return !isKilled;
    }
}
