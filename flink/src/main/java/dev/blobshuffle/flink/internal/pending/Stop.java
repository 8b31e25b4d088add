package dev.blobshuffle.flink.internal.pending;

import java.util.OptionalLong;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;

/**
 * Whether the job stops with a savepoint that has been taken. Nothing may follow the savepoint's
 * barrier then: what the savepoint holds would leave twice. If the savepoint fails, the job goes
 * on. Owned by the task's thread.
 */
public final class Stop {
    private OptionalLong savepoint = OptionalLong.empty();

    /** A snapshot is taken. */
    public void taken(long checkpoint, SnapshotType type) {
        if (type instanceof SavepointType kind && kind.isSynchronous()) {
            savepoint = OptionalLong.of(checkpoint);
        }
    }

    /** A checkpoint was given up. Returns whether the job goes on because of that. */
    public boolean aborted(long checkpoint) {
        boolean goesOn = savepoint.isPresent() && savepoint.getAsLong() == checkpoint;
        if (goesOn) {
            savepoint = OptionalLong.empty();
        }
        return goesOn;
    }

    /** Whether nothing may leave. */
    public boolean isStopping() {
        return savepoint.isPresent();
    }
}
