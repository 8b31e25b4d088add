package dev.blobshuffle.kstreams.internal.commit;

import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.internals.CacheFlushListener;
import org.apache.kafka.streams.state.internals.CachedStateStore;
import org.jspecify.annotations.Nullable;

/**
 * Holds a commit back until a processor has handed everything on. It is a state store that stores
 * nothing: Kafka Streams flushes the caches of a task's stores, in topological order, before it
 * flushes the producer and before it reads the offsets to commit, and a store that is not a cache
 * may take part.
 *
 * <pre>
 *   a task's commit:   caches are flushed ──▶ the producer is flushed ──▶ offsets are committed
 *                        └─ one gate per processor: drains, forwards, waits, or throws
 * </pre>
 *
 * <p>What a gate forwards may end in the cache of a store that was flushed before it, since a
 * store's turn is that of the first node that uses it. So, when a gate forwarded something, the
 * caches of the task are flushed again, until no gate of the task has anything left: several gates
 * in one task are drained to a fixpoint. What a processor stores of its own state for the commit it
 * stores after that.
 *
 * <p>Threads: the gate is attached, flushed and detached by the task's stream thread. Other methods
 * come from other threads too (state restoration, a throw-away instance at start), and do nothing.
 */
public final class CommitGate implements StateStore, CachedStateStore<Object, Object> {
    /** The drain that this thread is in, if any, with the flushes that it led to. */
    private static final ThreadLocal<@Nullable Sweep> SWEEP = new ThreadLocal<>();

    private final String name;
    private @Nullable Attachment attachment;
    private volatile boolean isOpen;

    CommitGate(String name) {
        this.name = name;
    }

    /**
     * Makes the gate of one processor.
     *
     * @param name unique in the topology
     */
    public static StoreBuilder<CommitGate> builder(String name) {
        return new CommitGateBuilder(name);
    }

    /**
     * Finds the gate of a processor, in its {@code init}.
     *
     * @param name as its supplier's {@code stores()} gave it
     * @throws IllegalStateException fatal: the supplier did not provide it
     */
    public static CommitGate of(ProcessingContext context, String name) {
        try {
            CommitGate gate = context.getStateStore(name);
            if (gate != null) {
                return gate;
            }
            throw missing(name, null);
        } catch (StreamsException e) {
            throw missing(name, e);
        }
    }

    private static IllegalStateException missing(String name, @Nullable StreamsException cause) {
        return new IllegalStateException(
                "Cannot process without the state store " + name + ": commits would not wait."
                        + " Give the supplier itself to process or processValues, not a lambda around it.",
                cause);
    }

    /** What a gate does before a commit. */
    @FunctionalInterface
    public interface Drain {
        /**
         * Hands everything on, and waits until it is safe. Called before every commit, also when a
         * task ends in disorder, and nobody can tell which: bounded in time, and at once when it
         * has failed before.
         *
         * @return whether records went to nodes of this task, whose caches may have had their turn
         * @throws org.apache.kafka.streams.errors.StreamsException whenever the commit must not
         *     happen; every other exception would lose its type
         */
        boolean drain();

        /**
         * Called once more for the same commit, since something was handed on in the task. By
         * default like the first time; who does not wait for everything should hand nothing on
         * here, lest the commit never comes to its end.
         *
         * @return as {@link #drain}
         */
        default boolean again() {
            return drain();
        }

        /**
         * Stores what this processor still has to do. Called after everything that was handed on
         * has gone through the caches of the task; may come several times for a commit.
         */
        default void store() {}

        /**
         * Removes from the store what this processor has handed on. Called after {@link #store} of
         * every gate that has its turn.
         */
        default void forget() {}
    }

    /** From now on commits wait for a processor. */
    public void attach(NodeScope scope, Drain drain) {
        attachment = new Attachment(scope, drain);
    }

    /** Commits wait no more. */
    public void detach() {
        attachment = null;
    }

    @Override
    public void flushCache() {
        Attachment attached = attachment;
        if (attached == null) {
            return;
        }
        Sweep under = SWEEP.get();
        if (under != null) {
            under.moved |= attached.drain.again();
            boolean ignored = under.drained.add(attached.drain);
            return;
        }
        Sweep sweep = new Sweep();
        SWEEP.set(sweep);
        try {
            sweep.moved = attached.drain.drain();
            boolean ignored = sweep.drained.add(attached.drain);
            sweep(attached.scope, sweep);
        } finally {
            SWEEP.remove();
        }
    }

    /**
     * Whether the calling thread is handing something on for a commit: nobody should make it wait
     * then.
     */
    public static boolean isCommitting() {
        return SWEEP.get() != null;
    }

    private static void sweep(NodeScope scope, Sweep sweep) {
        while (sweep.moved) {
            sweep.moved = false;
            scope.flushCaches();
        }
        sweep.drained.forEach(Drain::store);
        sweep.drained.forEach(Drain::forget);
    }

    @Override
    public void clearCache() {
        // There is none; called when an active task becomes a standby, after its processors were
        // closed.
    }

    @Override
    public boolean setFlushListener(CacheFlushListener<Object, Object> listener, boolean sendOldValues) {
        return false;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void init(StateStoreContext context, StateStore root) {
        context.register(root, (key, value) -> {});
        isOpen = true;
    }

    @Override
    @SuppressWarnings("deprecation") // Abstract until Kafka 4.2.
    public void flush() {
        // Comes after the offsets are committed: too late.
    }

    @Override
    public void close() {
        isOpen = false;
    }

    @Override
    public boolean persistent() {
        return false;
    }

    @Override
    public boolean isOpen() {
        return isOpen;
    }

    private record Attachment(NodeScope scope, Drain drain) {}

    /** One gate's drain, and the repeated flushes of the task's caches. */
    private static final class Sweep {
        private final Set<Drain> drained = new LinkedHashSet<>();
        private boolean moved;
    }
}
