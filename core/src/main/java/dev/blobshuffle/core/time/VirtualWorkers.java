package dev.blobshuffle.core.time;

import dev.blobshuffle.core.failure.ClosedException;
import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs each task on a virtual thread, on JDK 21 and newer. It uses reflection, because the code is
 * compiled for JDK 17. Before JDK 24 a virtual thread that blocks in a synchronized block pins its
 * carrier, so fewer calls overlap. Thread-safe.
 */
final class VirtualWorkers implements Time.Workers {
    private static final @Nullable Method OF_VIRTUAL = ofVirtual();

    private final String name;
    private final ThreadFactory threads;
    private volatile boolean isClosed;

    VirtualWorkers(String name) {
        this.name = name;
        this.threads = factory(name);
    }

    /** Whether this JDK has virtual threads. */
    static boolean areThere() {
        return OF_VIRTUAL != null;
    }

    private static @Nullable Method ofVirtual() {
        // On JDK 20 and older the method does not exist, or is a preview that throws an exception.
        try {
            Method found = Thread.class.getMethod("ofVirtual");
            Object ignored = found.invoke(null);
            return found;
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    private static ThreadFactory factory(String name) {
        Method ofVirtual = OF_VIRTUAL;
        if (ofVirtual == null) {
            throw new IllegalStateException(
                    "Cannot make virtual threads: this JDK has none. Use JDK 21 or newer, or other workers.");
        }
        try {
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            Object named =
                    type.getMethod("name", String.class, long.class).invoke(ofVirtual.invoke(null), name + "-", 1L);
            return (ThreadFactory) type.getMethod("factory").invoke(named);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cannot make virtual threads: " + e.getMessage() + ". Report this JDK.", e);
        }
    }

    @Override
    public void execute(Runnable task) {
        if (isClosed) {
            throw new ClosedException("Cannot run a task: the workers '" + name
                    + "' are closed. Give no work to a component that was closed.");
        }
        threads.newThread(task).start();
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
