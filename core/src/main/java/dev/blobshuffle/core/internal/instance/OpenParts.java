package dev.blobshuffle.core.internal.instance;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Parts that are open, closed in the reverse order of their opening, all of them, whatever one of
 * them throws. Thread-safe.
 */
final class OpenParts implements AutoCloseable {
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    /** Takes over a part. */
    synchronized <T extends AutoCloseable> T add(T part) {
        parts.push(part);
        return part;
    }

    private synchronized @Nullable AutoCloseable next() {
        return parts.poll();
    }

    /** Closes what is open. Idempotent. */
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
