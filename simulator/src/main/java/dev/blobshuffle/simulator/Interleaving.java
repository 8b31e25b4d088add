package dev.blobshuffle.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The interleaving of activities between two waits of woven code ({@link YieldPoints}). An activity
 * may lose its processor at every lock, atomic and volatile access. The simulation has monitors of
 * its own, so an activity may also lose its processor while it holds one.
 *
 * <p>Weak memory: processors delay stores. A relaxed store (the opaque one that opens a sequence
 * lock) starts a window in which the activity's later reads may return a flag as it was when the
 * window started. A lock, an atomic operation or a volatile write of the activity ends the window,
 * because it empties a store buffer. The window also ends after a millisecond. Guarded by the
 * baton.
 */
public final class Interleaving {
    private static final long WINDOW_NANOS = 1_000_000;

    /** The longest time without a processor. Timers and answers fall into it. */
    private static final int LONG_YIELD_NANOS = 20_000_000;

    private final Simulation simulation;

    /**
     * One in this many yield points yields. Some races need many yields, others a long run without
     * one.
     */
    private final int yieldsOneIn;

    private final IdentityHashMap<Object, Monitor> monitors = new IdentityHashMap<>();
    private final IdentityHashMap<Object, Map<String, Flag>> flags = new IdentityHashMap<>();

    Interleaving(Simulation simulation) {
        this.simulation = simulation;
        yieldsOneIn = 4 << simulation.random(7);
    }

    /** A lock that an activity holds. */
    private static final class Monitor {
        private final Activity owner;
        private final List<Waiter> waiting = new ArrayList<>();
        private int depth = 1;

        private Monitor(Activity owner) {
            this.owner = owner;
        }
    }

    /** The last change of a volatile flag. */
    private static final class Flag {
        private boolean value;
        private boolean before;
        private long changedAt;
        private @Nullable Activity changedBy;
    }

    /**
     * The activity of this thread, if it may yield; null on the test's thread and while the
     * simulation ends.
     */
    static @Nullable Activity activity() {
        Activity activity = Thread.currentThread() instanceof Carrier carrier ? carrier.activity : null;
        if (activity == null) {
            return null;
        }
        Simulation simulation = activity.process.simulation();
        return simulation.interleaving == null || simulation.isEnding() || simulation.isInTimer() ? null : activity;
    }

    static Interleaving of(Activity activity) {
        Interleaving interleaving = activity.process.simulation().interleaving;
        if (interleaving == null) {
            throw new IllegalStateException("Cannot interleave: the simulation runs without yield points.");
        }
        return interleaving;
    }

    void point(Activity activity) {
        if (simulation.random(yieldsOneIn) == 0) {
            boolean isLong = simulation.random(8) == 0;
            giveWay(activity, isLong ? simulation.random(LONG_YIELD_NANOS) : simulation.shortDelay());
        }
    }

    void giveWay(Activity activity, long nanos) {
        simulation.giveWay(activity, nanos);
    }

    void spin(Activity activity) {
        giveWay(activity, simulation.shortDelay());
    }

    void enter(Activity activity, Object lock) {
        activity.windowSince = -1;
        point(activity);
        while (!simulation.isEnding()) {
            Monitor held = monitors.get(lock);
            if (held == null) {
                monitors.put(lock, new Monitor(activity));
                return;
            }
            if (held.owner == activity) {
                held.depth++;
                return;
            }
            Waiter waiter = new Waiter(activity, (Carrier) Thread.currentThread());
            held.waiting.add(waiter);
            simulation.hold(waiter);
        }
    }

    void exit(Activity activity, Object lock) {
        Monitor held = monitors.get(lock);
        if (held == null || held.owner != activity || --held.depth > 0) {
            return;
        }
        activity.windowSince = -1;
        monitors.remove(lock);
        for (Waiter waiter : held.waiting) {
            simulation.resume(waiter, simulation.now() + simulation.shortDelay());
        }
        point(activity);
    }

    /** Begins a window: others may see the activity's store late. */
    void relaxedStore(Activity activity) {
        activity.windowSince = simulation.ran();
        activity.windowNanos = simulation.now();
        point(activity);
    }

    /** Empties the activity's store buffer. */
    void fence(Activity activity) {
        activity.windowSince = -1;
        point(activity);
    }

    boolean read(Activity activity, Object owner, String name, boolean value) {
        Map<String, Flag> known = flags.get(owner);
        Flag flag = known == null ? null : known.get(name);
        if (flag == null) {
            return value;
        }
        boolean isOpen = activity.windowSince >= 0 && simulation.now() - activity.windowNanos < WINDOW_NANOS;
        boolean isStale = isOpen
                && flag.value == value
                && flag.changedAt > activity.windowSince
                && flag.changedBy != activity
                && simulation.random(2) == 0;
        return isStale ? flag.before : value;
    }

    void write(Activity activity, Object owner, String name, boolean value) {
        fence(activity);
        Flag flag =
                flags.computeIfAbsent(owner, unknown -> new HashMap<>()).computeIfAbsent(name, unknown -> new Flag());
        flag.before = flag.value;
        flag.value = value;
        flag.changedAt = simulation.ran();
        flag.changedBy = activity;
    }
}
