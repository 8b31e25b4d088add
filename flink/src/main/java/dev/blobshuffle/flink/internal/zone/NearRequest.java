package dev.blobshuffle.flink.internal.zone;

import org.apache.flink.runtime.operators.coordination.CoordinationRequest;

/**
 * Asks which subtasks of the Debatcher are near a subtask of the Batcher.
 *
 * @param place of the subtask that asks
 */
record NearRequest(Place place) implements CoordinationRequest {
    private static final long serialVersionUID = 1L;
}
