package dev.blobshuffle.simulator;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The time, threads and actors of one simulated process, which can be killed as a whole. Its actors
 * and tasks then end at their next yield point; its timers and queued tasks never run. Requests
 * that it has sent to stores and channels continue there. Used by actors and timers of the
 * simulation, and by the test's thread while nothing runs.
 */
public final class SimulatedProcess implements Time {
    private final Simulation simulation;
    private final String name;
    private final Set<Activity> activities = new LinkedHashSet<>();
    private final SimulatedWorkers timers;
    private boolean isKilled;

    SimulatedProcess(Simulation simulation, String name) {
        this.simulation = simulation;
        this.name = name;
        this.timers = new SimulatedWorkers(simulation, this, name + "/timer", 1);
    }

    Simulation simulation() {
        return simulation;
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
        Runnable unlessKilled = () -> {
            if (!isKilled) {
                task.run();
            }
        };
        if (simulation.interleaving != null) {
            return scheduleOnThread(delay, unlessKilled);
        }
        SimulationEvent event = simulation.timer(simulation.in(delay.toNanos()), unlessKilled);
        return event::cancel;
    }

    /** A timer's task may yield, so it runs on the timer's thread. */
    private Cancellable scheduleOnThread(Duration delay, Runnable task) {
        boolean[] isCancelled = new boolean[1];
        SimulationEvent event = simulation.timer(
                simulation.in(delay.toNanos()),
                () -> timers.execute(() -> {
                    if (!isCancelled[0]) {
                        task.run();
                    }
                }));
        return () -> {
            isCancelled[0] = true;
            event.cancel();
        };
    }

    @Override
    public Workers workers(String workersName, int threads) {
        return new SimulatedWorkers(simulation, this, name + "/" + workersName, threads);
    }

    /**
     * Starts an actor: a thread of the process, which runs alone and lets others run at its yield
     * points, {@link Signal#await} and {@link SimulatedTime#pause()}. A failure of the body fails
     * the simulation.
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
