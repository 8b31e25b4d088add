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
 * Holds a commit back until a processor has handed on all its records. The gate is a state store
 * that stores nothing. Before Kafka Streams flushes the producer and reads the offsets to commit,
 * it flushes the caches of a task's stores in topological order. A store without a cache may take
 * part in that.
 *
 * <pre>
 *   a task's commit:   caches are flushed ──▶ the producer is flushed ──▶ offsets are committed
 *                        └─ one gate per processor: drains, forwards, waits, or throws
 * </pre>
 *
 * <p>Records that a gate forwards may end in the cache of a store that was flushed before, because
 * a store is flushed at the first node that uses it. So after a gate has forwarded records, the
 * task's caches are flushed again, until no gate of the task has records left: several gates of a
 * task are drained to a fixpoint. After that, processors store their own state for the commit.
 *
 * <p>Threads: the task's stream thread attaches, flushes and detaches the gate. Other threads may
 * call the other methods (state restoration, a temporary instance at start), which do nothing.
 */
public final class CommitGate implements StateStore, CachedStateStore<Object, Object> {
    /** The current drain of this thread, if any, with the flushes that it has caused. */
    private static final ThreadLocal<@Nullable Sweep> SWEEP = new ThreadLocal<>();

    private final String name;
    private @Nullable Attachment attachment;
    private volatile boolean isOpen;

    CommitGate(String name) {
        this.name = name;
    }

    /**
     * A builder for the gate of one processor.
     *
     * @param name unique in the topology
     */
    public static StoreBuilder<CommitGate> builder(String name) {
        return new CommitGateBuilder(name);
    }

    /**
     * Finds the gate of a processor, in its {@code init}.
     *
     * @param name the name in its supplier's {@code stores()}
     * @throws IllegalStateException fatal: the supplier did not provide the gate
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
                "Cannot process without the state store " + name
                        + ": commits would not wait for pending records. Pass the supplier"
                        + " itself to process or processValues, not a lambda around it.",
                cause);
    }

    /** The work of a processor before a commit. */
    @FunctionalInterface
    public interface Drain {
        /**
         * Hands on all records, and waits until they are safe. Called before every commit, and also
         * when a task is closed after a failure; the two calls look the same. Must end within a
         * time limit, and at once after an earlier failure.
         *
         * @return whether records went to nodes of this task, whose caches may have been flushed
         *     already
         * @throws org.apache.kafka.streams.errors.StreamsException if the commit must not happen;
         *     any other exception would lose its type
         */
        boolean drain();

        /**
         * Called again for the same commit, after a gate of the task has forwarded records. By
         * default it works like the first call. A processor that does not wait for all its records
         * should forward nothing here, or the commit may never end.
         *
         * @return as {@link #drain}
         */
        default boolean again() {
            return drain();
        }

        /**
         * Stores the processor's remaining work. Called after all forwarded records have passed the
         * task's caches; may be called several times for a commit.
         */
        default void store() {}

        /**
         * Removes from the store what this processor has handed on. Called after {@link #store} of
         * every gate of the flush.
         */
        default void forget() {}
    }

    /** Makes commits wait for a processor. */
    public void attach(NodeScope scope, Drain drain) {
        attachment = new Attachment(scope, drain);
    }

    /** Ends the wait of commits. */
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
     * Whether the calling thread is forwarding records for a commit. A processor should not block
     * it then.
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
        // There is no cache. Called when an active task becomes a standby, after its processors
        // were closed.
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
        // Called after the offsets are committed: too late.
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
