package dev.blobshuffle.flink.internal.retain;

import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import dev.blobshuffle.flink.internal.zone.Places;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationRequestHandler;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.jspecify.annotations.Nullable;

/**
 * Answers the subtasks of a Batcher which subtasks of the Debatcher are near, and learns what each
 * checkpoint needs of what they have not sent. It has no state. Owned by the JobManager's main
 * thread.
 */
public final class BatcherCoordinator implements OperatorCoordinator, CoordinationRequestHandler {
    private final OperatorID operator;
    private final Places places;
    private final CheckpointHorizon horizon;

    private BatcherCoordinator(OperatorID operator, Places places, CheckpointHorizon horizon) {
        this.operator = operator;
        this.places = places;
        this.horizon = horizon;
    }

    /**
     * Makes the coordinator.
     *
     * @param plan of the shuffle
     * @param operator the Batcher
     */
    public record Provider(ShufflePlan plan, OperatorID operator) implements OperatorCoordinator.Provider {
        private static final long serialVersionUID = 1L;

        @Override
        public OperatorID getOperatorId() {
            return operator;
        }

        @Override
        public OperatorCoordinator create(Context context) {
            CheckpointHorizon horizon = CheckpointHorizon.of(plan.name(), context);
            if (FlinkSettings.parse(plan.settings()).value(FlinkSettings.PUT_AFTER_BARRIER)) {
                horizon.expect(operator, context::currentParallelism);
            }
            return new BatcherCoordinator(operator, Places.of(context.getCoordinatorStore(), plan.name()), horizon);
        }
    }

    @Override
    public CompletableFuture<CoordinationResponse> handleCoordinationRequest(CoordinationRequest request) {
        return places.answer(request);
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
        if (event instanceof CheckpointNeed need) {
            horizon.needs(operator, subtask, need);
        }
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
        // The Debatcher's coordinator learns it.
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
