package dev.blobshuffle.kstreams.keyparallel;

import org.jspecify.annotations.Nullable;

/**
 * The first failure of a node, which every later call throws, and above all the commit: a handler
 * may have swallowed it meanwhile, and the commit would confirm records without results. Owned by
 * the stream thread.
 */
final class StickyFailure {
    private @Nullable RuntimeException first;

    void check() {
        if (first != null) {
            throw first;
        }
    }

    /** Keeps a failure, if it is the first. @return the first, to be thrown */
    RuntimeException keep(RuntimeException failure) {
        if (first == null) {
            first = failure;
        }
        return first;
    }
}
