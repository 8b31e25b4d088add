package dev.blobshuffle.core.internal.instance;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Open parts, which are closed in the reverse order of their opening. All parts are closed, even if
 * one of them throws an exception. Thread-safe.
 */
final class OpenParts implements AutoCloseable {
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    /** Adds a part, which is closed with the others. */
    synchronized <T extends AutoCloseable> T add(T part) {
        parts.push(part);
        return part;
    }

    private synchronized @Nullable AutoCloseable next() {
        return parts.poll();
    }

    /** Closes all open parts. Idempotent. */
    @Override
    public void close() {
        RuntimeException first = null;
        for (AutoCloseable part = next(); part != null; part = next()) {
            try {
                part.close();
            } catch (Exception e) {
                RuntimeException failure = e instanceof RuntimeException unchecked
                        ? unchecked
                        : new IllegalStateException("Cannot close " + part + ": " + e.getMessage(), e);
                if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
