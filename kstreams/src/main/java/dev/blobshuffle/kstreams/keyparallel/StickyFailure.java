package dev.blobshuffle.kstreams.keyparallel;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the first failure of a node. Every later call throws it, and above all the commit: a
 * handler may have swallowed the failure, and the commit would then confirm records without
 * results. Owned by the stream thread.
 */
final class StickyFailure {
    private @Nullable RuntimeException first;

    void check() {
        if (first != null) {
            throw first;
        }
    }

    /** Keeps a failure if it is the first. @return the first failure, to be thrown */
    RuntimeException keep(RuntimeException failure) {
        if (first == null) {
            first = failure;
        }
        return first;
    }
}
