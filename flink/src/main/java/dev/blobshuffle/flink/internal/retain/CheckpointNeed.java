package dev.blobshuffle.flink.internal.retain;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * The blobs that one subtask of a shuffle needs for a checkpoint. The subtask sends it before it
 * acknowledges the checkpoint.
 *
 * @param checkpoint its id
 * @param generation blobs of lower generations are not needed; {@link #EVERYTHING}: all are
 */
public record CheckpointNeed(long checkpoint, long generation) implements OperatorEvent {
    /** No blob may be deleted. */
    public static final long EVERYTHING = 0;

    private static final long serialVersionUID = 1L;
}
