package dev.blobshuffle.simulator;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.time.Instant;

/**
 * Virtual time, random numbers and threads from a seed. The engine and its test run one step at a
 * time, in an order that the seed decides, so a failing schedule can be replayed. Computing takes
 * no virtual time; timers, waits and hand-overs between threads do. The same seed gives the same
 * schedule as long as the code under test does not depend on identity hash codes, real clocks or
 * threads of its own.
 *
 * <pre>{@code
 * try (SimulatedTime time = new SimulatedTime(seed)) {
 *     SimulatedProcess first = time.process("first");
 *     Actor writer = first.actor("writer", () -> …);
 *     time.schedule(Duration.ofMillis(time.random(500)), first::kill);
 *     time.run();                           // until all actors have ended; a failure or deadlock names the seed
 *     time.settle(Duration.ofMinutes(5));   // timers and tasks that are left
 * }
 * }</pre>
 *
 * <p>The monotonic clock starts shortly before its overflow, so that runs cover the overflow. As a
 * {@link Time} this is the world outside all processes, for stores and channels that outlive them.
 * Owned by the test's thread; while {@link #run} runs, used by the actors and timers only.
 */
public final class SimulatedTime implements Time, AutoCloseable {
    static final long START_MILLIS = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

    private static final Duration LIMIT = Duration.ofHours(2);

    private final Simulation simulation;
    private final SimulatedProcess world;

    /** Time at its start, with a seed. */
    public SimulatedTime(long seed) {
        this(new Simulation(seed, false));
    }

    private SimulatedTime(Simulation simulation) {
        this.simulation = simulation;
        world = process("world");
    }

    /**
     * Time at its start, with a seed, for code that calls {@link YieldPoints}: it yields at locks
     * and atomics too, and each timer's task has a thread. The classes under test must be woven;
     * otherwise nothing calls the yield points.
     */
    public static SimulatedTime interleaved(long seed) {
        return new SimulatedTime(new Simulation(seed, true));
    }

    /**
     * A new process.
     *
     * @param name for reports
     */
    public SimulatedProcess process(String name) {
        return new SimulatedProcess(simulation, name);
    }

    /** An actor outside all processes: {@link SimulatedProcess#actor}. */
    public Actor actor(String name, Actor.Body body) {
        return world.actor(name, body);
    }

    /**
     * Runs until every actor has ended.
     *
     * @throws AssertionError if an actor, task or timer failed, if all wait for ever, or if there
     *     is no end within two hours of virtual time
     */
    public void run() {
        simulation.run(LIMIT.toNanos());
    }

    /**
     * Runs the remaining timers and tasks for a span of virtual time.
     *
     * @throws AssertionError if an actor, task or timer failed
     */
    public void settle(Duration span) {
        simulation.settle(span.toNanos());
    }

    /** Lets others run for a moment. For actors and tasks. */
    public void pause() {
        pause(Duration.ofNanos(simulation.shortDelay()));
    }

    /** Lets others run for a span of virtual time. For actors and tasks. */
    public void pause(Duration span) {
        Waiter waiter = simulation.waiter();
        simulation.resume(waiter, simulation.in(span.toNanos()));
        simulation.suspend(waiter);
    }

    /** A random number, uniform from 0 to below the bound. */
    public int random(int bound) {
        return simulation.random(bound);
    }

    /** Virtual time since the start. */
    public Duration elapsed() {
        return Duration.ofNanos(simulation.now());
    }

    /** Number of events so far: timers, starts of tasks and ends of waits. */
    public long steps() {
        return simulation.ran();
    }

    /** A number that two equal schedules share, to check that a seed decides everything. */
    public long trace() {
        return simulation.trace();
    }

    /** The seed. */
    public long seed() {
        return simulation.seed;
    }

    @Override
    public long wallMillis() {
        return world.wallMillis();
    }

    @Override
    public long nanos() {
        return world.nanos();
    }

    @Override
    public long randomLong() {
        return world.randomLong();
    }

    @Override
    public Signal signal() {
        return world.signal();
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        if (simulation.interleaving == null) {
            return world.schedule(delay, task);
        }
        // Stores and channels answer on many threads.
        SimulationEvent event =
                simulation.activity(simulation.in(delay.toNanos()), world.activity("world/answer", false), task);
        return event::cancel;
    }

    @Override
    public Workers workers(String name, int threads) {
        return world.workers(name, threads);
    }

    /**
     * Ends every activity that still waits by a crash, and returns the real threads. Idempotent.
     */
    @Override
    public void close() {
        simulation.close();
    }
}
