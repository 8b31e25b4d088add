package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a stream thread, one for each of its Batchers. The thread commits its tasks one
 * after another, so the first commit of a cycle starts the uploads of all lanes. Owned by the
 * stream thread.
 */
final class ThreadLanes {
    private final BatchScope scope;
    private final Set<Lane> lanes = new LinkedHashSet<>();
    private @Nullable RuntimeException failure;

    ThreadLanes(BatchScope scope) {
        this.scope = scope;
    }

    /**
     * Records that one of the thread's operators has failed. All its tasks will be closed, and none
     * of them needs to wait for anything before that.
     */
    void fail(RuntimeException cause) {
        failure = cause;
    }

    /** Clears the failure: tasks are opened again. */
    void restart() {
        failure = null;
    }

    void check() {
        RuntimeException cause = failure;
        if (cause != null) {
            throw cause;
        }
    }

    void add(Lane lane) {
        lanes.add(lane);
    }

    void remove(Lane lane) {
        lanes.remove(lane);
    }

    /**
     * Starts the upload of everything that the thread has appended. Lanes that share a batch are
     * sealed together by the next flush.
     */
    void startUploads() {
        if (scope == BatchScope.LANE) {
            lanes.forEach(Lane::seal);
        }
    }
}
