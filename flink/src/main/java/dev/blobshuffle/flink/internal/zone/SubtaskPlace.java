package dev.blobshuffle.flink.internal.zone;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * Reports where a subtask of a Debatcher runs; sent before the subtask takes references.
 *
 * @param place of the subtask
 */
public record SubtaskPlace(Place place) implements OperatorEvent {
    private static final long serialVersionUID = 1L;
}
