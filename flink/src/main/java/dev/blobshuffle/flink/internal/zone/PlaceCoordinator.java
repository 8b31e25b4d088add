package dev.blobshuffle.flink.internal.zone;

import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationRequestHandler;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.jspecify.annotations.Nullable;

/**
 * Answers the subtasks of a Batcher which subtasks of the Debatcher are near. It has no state. Owned
 * by the JobManager's main thread.
 */
public final class PlaceCoordinator implements OperatorCoordinator, CoordinationRequestHandler {
    private final Places places;

    private PlaceCoordinator(Places places) {
        this.places = places;
    }

    /**
     * Makes the coordinator.
     *
     * @param shuffle its name
     * @param operator the Batcher
     */
    public record Provider(String shuffle, OperatorID operator) implements OperatorCoordinator.Provider {
        private static final long serialVersionUID = 1L;

        @Override
        public OperatorID getOperatorId() {
            return operator;
        }

        @Override
        public OperatorCoordinator create(Context context) {
            return new PlaceCoordinator(Places.of(context.getCoordinatorStore(), shuffle));
        }
    }

    @Override
    public CompletableFuture<CoordinationResponse> handleCoordinationRequest(CoordinationRequest request) {
        return places.ask(((NearRequest) request).place());
    }

    @Override
    public void checkpointCoordinator(long checkpoint, CompletableFuture<byte[]> state) {
        state.complete(new byte[0]);
    }

    @Override
    public void start() {
        // Nothing runs.
    }

    @Override
    public void handleEventFromOperator(int subtask, int attempt, OperatorEvent event) {
        // Batchers only ask.
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
        // Places are in no checkpoint.
    }

    @Override
    public void resetToCheckpoint(long checkpoint, byte @Nullable [] state) {
        // As above.
    }

    @Override
    public void subtaskReset(int subtask, long checkpoint) {
        // The next attempt asks again.
    }

    @Override
    public void executionAttemptFailed(int subtask, int attempt, @Nullable Throwable reason) {
        // As above.
    }

    @Override
    public void executionAttemptReady(int subtask, int attempt, SubtaskGateway gateway) {
        // Nothing is sent to subtasks but answers.
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
