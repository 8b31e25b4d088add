package dev.blobshuffle.simulator;

import dev.blobshuffle.simulator.SimulationEvent.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler behind {@link SimulatedTime}: a queue of events in virtual time, run one after the
 * other.
 *
 * <p>There is no scheduler thread. A thread that has the baton and cannot continue (a carrier
 * without work, or an activity that waits) takes the next event. A timer runs on that thread,
 * because it never waits. The end of the thread's own wait returns to its activity without a
 * switch. The end of another activity's wait hands the baton to the carrier of that activity. A new
 * activity starts at the bottom of a carrier's stack, so a thread inside a wait hands the baton to
 * an idle carrier to start it. All state is guarded by the baton, which the test's thread has while
 * nothing runs.
 */
public final class Simulation {
    /**
     * Real time without a hand-over after which a schedule counts as stuck in code that blocks by
     * other means than a signal.
     */
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(120);

    private static final long MAX_EVENTS = 5_000_000;

    final long seed;

    /** The interleaving inside the engine; null if the engine is not woven. */
    final @Nullable Interleaving interleaving;

    private final SplittableRandom random;
    private final long nanosOrigin;
    private final PriorityQueue<SimulationEvent> events = new PriorityQueue<>();
    private final Deque<Carrier> idle = new ArrayDeque<>();
    private final Set<Activity> activities = new LinkedHashSet<>();
    private final Set<Carrier> carriers = new LinkedHashSet<>();
    private long now;
    private long numbered;
    private long ran;
    private long trace;
    private int livingActors;
    private @Nullable Throwable failure;

    /** Whether the phase ends when no actor lives. Otherwise it ends at {@link #horizon}. */
    private boolean untilActorsEnd;

    private long horizon;
    private boolean ending;
    private boolean stuck;
    private boolean inTimer;
    private volatile boolean mainHasBaton = true;
    private volatile @Nullable Thread main;

    Simulation(long seed, boolean isInterleaved) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.nanosOrigin = Long.MAX_VALUE - random.nextInt(2_000_000_000);
        this.interleaving = isInterleaved ? new Interleaving(this) : null;
    }

    long now() {
        return now;
    }

    /** The monotonic clock. It overflows soon after the start, so that runs cover the overflow. */
    long nanos() {
        return nanosOrigin + now;
    }

    long random() {
        return random.nextLong();
    }

    int random(int bound) {
        return random.nextInt(bound);
    }

    /** Events so far, as one number: equal for equal schedules. */
    long trace() {
        return trace;
    }

    long ran() {
        return ran;
    }

    SimulationEvent timer(long at, Runnable action) {
        return add(new SimulationEvent(Kind.TIMER, at, random(), numbered++, action, null, null));
    }

    SimulationEvent activity(long at, Activity activity, Runnable action) {
        activities.add(activity);
        livingActors += activity.isActor ? 1 : 0;
        return add(new SimulationEvent(Kind.ACTIVITY, at, random(), numbered++, action, activity, null));
    }

    private SimulationEvent add(SimulationEvent event) {
        events.add(event);
        return event;
    }

    void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    /** A point of time after a delay, however long. */
    long in(long nanos) {
        return now + Math.min(Math.max(0, nanos), Long.MAX_VALUE / 4);
    }

    /** A short time, in nanoseconds, that a hand-over between threads takes. */
    long shortDelay() {
        return random.nextInt(100_000);
    }

    // ---- waiting

    /** The activity that runs on this thread. */
    Activity current() {
        Activity activity = Thread.currentThread() instanceof Carrier carrier ? carrier.activity : null;
        if (activity == null || inTimer) {
            throw new IllegalStateException(
                    "Cannot wait here: " + (inTimer ? "a timer task" : "a thread outside the simulation")
                            + " must not block. Wait in an actor or in a task of workers.");
        }
        return activity;
    }

    /**
     * A wait of the running activity, to be ended by {@link #resume} and entered by
     * {@link #suspend}.
     */
    Waiter waiter() {
        Activity activity = current();
        activity.steps++;
        if (ending) {
            activity.isKilled = true;
        }
        activity.throwIfKilled();
        Waiter waiter = new Waiter(activity, (Carrier) Thread.currentThread());
        activity.waiter = waiter;
        return waiter;
    }

    /** Ends a wait at a point of time, unless something ends it before. */
    void resume(Waiter waiter, long at) {
        SimulationEvent planned = waiter.end;
        if (planned != null && planned.at <= at) {
            return;
        }
        if (planned != null) {
            planned.cancel();
        }
        waiter.end = add(new SimulationEvent(Kind.RESUME, at, random(), numbered++, null, null, waiter));
    }

    /** Lets others run until the wait ends. */
    void suspend(Waiter waiter) {
        drive(waiter.carrier, waiter);
        waiter.activity.waiter = null;
        waiter.activity.throwIfKilled();
    }

    /** Lets others run in the middle of a computation. A killed activity does not end here. */
    void giveWay(Activity activity, long nanos) {
        Waiter waiter = new Waiter(activity, (Carrier) Thread.currentThread());
        activity.waiter = waiter;
        resume(waiter, now + nanos);
        drive(waiter.carrier, waiter);
        activity.waiter = null;
    }

    /**
     * Waits for {@link #resume} in the middle of a computation. A killed activity does not end
     * here.
     */
    void hold(Waiter waiter) {
        waiter.activity.waiter = waiter;
        drive(waiter.carrier, waiter);
        waiter.activity.waiter = null;
    }

    /** Whether activities only unwind. */
    boolean isEnding() {
        return ending;
    }

    boolean isInTimer() {
        return inTimer;
    }

    void kill(Activity activity) {
        activity.isKilled = true;
        Waiter waiter = activity.waiter;
        if (waiter != null) {
            resume(waiter, now);
        }
    }

    // ---- running

    /** Runs until every actor has ended. */
    void run(long limitNanos) {
        untilActorsEnd = true;
        horizon = now + limitNanos;
        phase();
        if (livingActors > 0) {
            String reason = events.isEmpty()
                    ? "a deadlock"
                    : "no end within " + TimeUnit.NANOSECONDS.toSeconds(limitNanos) + " s of virtual time";
            throw new AssertionError(report(reason), failure);
        }
    }

    /** Runs the remaining events, up to a span of virtual time. */
    void settle(long spanNanos) {
        untilActorsEnd = false;
        horizon = now + spanNanos;
        phase();
        now = Math.max(now, horizon);
    }

    /** Unwinds the activities that still wait, and returns the carriers. */
    void close() {
        if (ending || stuck) {
            return;
        }
        ending = true;
        failure = null;
        phase();
        carriers.forEach(Carrier::spare);
        carriers.clear();
        idle.clear();
        events.clear();
    }

    private void phase() {
        main = Thread.currentThread();
        mainHasBaton = false;
        Carrier carrier = idleCarrier();
        carrier.start(() -> atBottom(carrier, null));
        long seen = ran;
        long since = System.nanoTime();
        while (!mainHasBaton) {
            LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(1));
            if (ran != seen) {
                seen = ran;
                since = System.nanoTime();
            } else if (!mainHasBaton && System.nanoTime() - since > STUCK_NANOS) {
                stuck = true;
                throw new AssertionError(
                        report("a thread that blocks outside the simulation's signals, or never ends"));
            }
        }
        Throwable cause = failure;
        if (cause != null && !ending) {
            throw new AssertionError(report("a failure"), cause);
        }
    }

    private Carrier idleCarrier() {
        Carrier carrier = idle.pollFirst();
        if (carrier == null) {
            carrier = Carrier.take();
            carriers.add(carrier);
        }
        return carrier;
    }

    private void atBottom(Carrier self, @Nullable SimulationEvent first) {
        if (first != null) {
            begin(self, first);
        }
        drive(self, null);
    }

    /**
     * Runs events on a carrier until its own wait ends; without one, until another thread takes
     * over.
     */
    private void drive(Carrier self, @Nullable Waiter own) {
        while (true) {
            SimulationEvent event = next();
            if (event == null) {
                rest(self, own);
                mainHasBaton = true;
                LockSupport.unpark(main);
            } else if (event.kind == Kind.TIMER) {
                runTimer(event);
                continue;
            } else if (event.kind == Kind.ACTIVITY) {
                if (own == null) {
                    begin(self, event);
                    continue;
                }
                Carrier other = idleCarrier();
                other.start(() -> atBottom(other, event));
            } else {
                Waiter waiter = required(event.waiter);
                if (waiter == own) {
                    return;
                }
                rest(self, own);
                waiter.carrier.giveBaton();
            }
            if (own != null) {
                self.awaitBaton();
            }
            return;
        }
    }

    private void rest(Carrier self, @Nullable Waiter own) {
        if (own == null) {
            idle.addFirst(self);
        }
    }

    private @Nullable SimulationEvent next() {
        if (ending) {
            return nextEnding();
        }
        if (failure != null || (untilActorsEnd && livingActors == 0)) {
            return null;
        }
        while (true) {
            SimulationEvent event = events.peek();
            if (event == null || event.at - horizon > 0 || ran >= MAX_EVENTS) {
                return null;
            }
            events.poll();
            if (event.isCancelled) {
                continue;
            }
            now = Math.max(now, event.at);
            ran++;
            trace = (trace ^ event.at ^ ((long) event.kind.ordinal() << 60)) * 0x9E37_79B9_7F4A_7C15L + 1;
            return event;
        }
    }

    /** While the simulation ends, only waits end, one after the other, by a crash. */
    private @Nullable SimulationEvent nextEnding() {
        for (Activity activity : activities) {
            Waiter waiter = activity.waiter;
            if (waiter != null) {
                activity.isKilled = true;
                activity.waiter = null;
                return new SimulationEvent(Kind.RESUME, now, 0, 0, null, null, waiter);
            }
        }
        return null;
    }

    private void runTimer(SimulationEvent event) {
        inTimer = true;
        try {
            required(event.action).run();
        } catch (RuntimeException | Error e) {
            fail(e);
        } finally {
            inTimer = false;
        }
    }

    private void begin(Carrier self, SimulationEvent event) {
        Activity activity = required(event.activity);
        self.activity = activity;
        try {
            if (!activity.isKilled) {
                required(event.action).run();
            }
        } catch (SimulatedCrash e) {
            // The simulation ended the activity.
        } catch (RuntimeException | Error e) {
            fail(e);
        } finally {
            self.activity = null;
            activity.isEnded = true;
            activities.remove(activity);
            activity.process.ended(activity);
            livingActors -= activity.isActor ? 1 : 0;
        }
    }

    private String report(String reason) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "Simulation with seed %d ended after %d events and %.3f s of virtual time by %s.",
                seed,
                ran,
                now / 1e9,
                reason));
        for (Activity activity : List.copyOf(activities)) {
            Waiter waiter = activity.waiter;
            lines.add("  " + activity.name + (waiter == null ? " runs or has not started" : " waits") + " after "
                    + activity.steps + " steps");
            if (waiter != null) {
                StackTraceElement[] stack = waiter.carrier.getStackTrace();
                for (int i = 0; i < Math.min(stack.length, 14); i++) {
                    lines.add("      at " + stack[i]);
                }
            }
        }
        return String.join("\n", lines);
    }

    private static <T> T required(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("Cannot run an event: it lacks what its kind needs.");
        }
        return value;
    }
}
