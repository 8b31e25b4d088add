package dev.blobshuffle.core.internal.instance;

import dev.blobshuffle.core.internal.metrics.ShuffleMetrics.Registration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The open instances of this process. Metrics registries and health checks watch this list, because
 * an application opens its instances long after its registries, and opens new ones after a restart
 * of its streams. Thread-safe: guarded by the class.
 */
public final class RunningInstances {
    private static final List<RunningInstance> OPEN = new ArrayList<>();
    private static final List<Watch> WATCHES = new ArrayList<>();
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private RunningInstances() {}

    /**
     * A number that is unique among the instances of this process, from 1, for the label {@code
     * engine}.
     */
    public static int nextNumber() {
        return NUMBER.incrementAndGet();
    }

    /** Lists an instance until the registration ends. The instance ends it before it closes. */
    public static synchronized Registration add(RunningInstance instance) {
        OPEN.add(instance);
        WATCHES.forEach(watch -> watch.begin(instance));
        AtomicBoolean isEnded = new AtomicBoolean();
        return () -> {
            if (isEnded.compareAndSet(false, true)) {
                remove(instance);
            }
        };
    }

    private static synchronized void remove(RunningInstance instance) {
        OPEN.removeIf(each -> each == instance);
        WATCHES.forEach(watch -> watch.end(instance));
    }

    /** The instances that are open now, in the order of their opening. */
    public static synchronized List<RunningInstance> all() {
        return List.copyOf(OPEN);
    }

    /**
     * Passes every open instance to a watcher, and every instance that opens until the registration
     * ends. The end of the registration closes the registrations that the watcher returned.
     */
    public static synchronized Registration watch(Watcher watcher) {
        Watch watch = new Watch(watcher);
        WATCHES.add(watch);
        OPEN.forEach(watch::begin);
        return () -> forget(watch);
    }

    private static synchronized void forget(Watch watch) {
        WATCHES.remove(watch);
        List.copyOf(watch.begun.keySet()).forEach(watch::end);
    }

    /** Observes instances. */
    @FunctionalInterface
    public interface Watcher {
        /**
         * Called for an open instance. Must not block.
         *
         * @return a registration that is closed once, before the instance closes or when the watch
         *     ends
         */
        Registration begin(RunningInstance instance);
    }

    /** The registrations of one watcher, by instance. */
    private static final class Watch {
        private final Watcher watcher;
        private final IdentityHashMap<RunningInstance, Registration> begun = new IdentityHashMap<>();

        Watch(Watcher watcher) {
            this.watcher = watcher;
        }

        void begin(RunningInstance instance) {
            begun.put(instance, watcher.begin(instance));
        }

        void end(RunningInstance instance) {
            Registration registration = begun.remove(instance);
            if (registration != null) {
                registration.close();
            }
        }
    }
}
