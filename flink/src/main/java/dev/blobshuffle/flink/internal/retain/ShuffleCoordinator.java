package dev.blobshuffle.flink.internal.retain;

import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import dev.blobshuffle.flink.internal.zone.Places;
import dev.blobshuffle.flink.internal.zone.SubtaskPlace;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.jspecify.annotations.Nullable;

/**
 * The part of a shuffle in the JobManager: it learns what each checkpoint needs, and lets the job's
 * unneeded blobs be deleted. It also learns where the subtasks of the Debatcher are. It has no
 * state. After a JobManager's failure nothing is deleted until as many checkpoints are complete as
 * Flink retains. Owned by the JobManager's main thread.
 */
final class ShuffleCoordinator implements OperatorCoordinator {
    private final OperatorID operator;
    private final JobRetention retention;
    private final CheckpointHorizon horizon;
    private final Places places;
    private final IntSupplier parallelism;
    private final Supplier<@Nullable CheckpointCoordinator> checkpoints;
    private boolean isStarted;

    private ShuffleCoordinator(JobRetention retention, CheckpointHorizon horizon, Places places, Context context) {
        operator = context.getOperatorId();
        this.retention = retention;
        this.horizon = horizon;
        this.places = places;
        parallelism = context::currentParallelism;
        checkpoints = context::getCheckpointCoordinator;
    }

    /** Shuffles of a job that share blobs. */
    private record Shared(String submission, Map<String, String> settings) {}

    static ShuffleCoordinator of(ShufflePlan plan, Context context) {
        CheckpointHorizon horizon = CheckpointHorizon.of(plan.name(), context);
        horizon.expect(context.getOperatorId(), context::currentParallelism);
        JobRetention retention = (JobRetention) context.getCoordinatorStore()
                .compute(
                        new Shared(plan.submission(), plan.settings()),
                        (key, present) -> present != null
                                ? present
                                : new JobRetention(
                                        FlinkSettings.parse(plan.settings()),
                                        plan.job(context.getJobID().toHexString())));
        retention.add(horizon);
        return new ShuffleCoordinator(
                retention, horizon, Places.of(context.getCoordinatorStore(), plan.name()), context);
    }

    @Override
    public void start() {
        isStarted = true;
        retention.start();
    }

    @Override
    public void handleEventFromOperator(int subtask, int attempt, OperatorEvent event) {
        if (event instanceof CheckpointNeed need) {
            horizon.needs(operator, subtask, need);
        } else if (event instanceof SubtaskPlace report) {
            places.reported(subtask, report.place(), parallelism.getAsInt());
        }
    }

    @Override
    public void checkpointCoordinator(long checkpoint, CompletableFuture<byte[]> state) {
        state.complete(new byte[0]);
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
        horizon.completed(checkpoint, new EndedSubtasks(checkpoints, checkpoint));
        retention.work();
    }

    @Override
    public void notifyCheckpointAborted(long checkpoint) {
        horizon.aborted(checkpoint);
    }

    @Override
    public void resetToCheckpoint(long checkpoint, byte @Nullable [] state) {
        horizon.reset();
        places.reset();
    }

    @Override
    public void subtaskReset(int subtask, long checkpoint) {
        // Its reports for checkpoints that are not complete count for nothing: they are aborted.
        places.left(subtask);
    }

    @Override
    public void executionAttemptFailed(int subtask, int attempt, @Nullable Throwable reason) {
        // The subtask is reset before its next attempt.
    }

    @Override
    public void executionAttemptReady(int subtask, int attempt, SubtaskGateway gateway) {
        // Nothing is sent to subtasks.
    }

    @Override
    public void close() {
        if (isStarted) {
            isStarted = false;
            retention.end();
        }
    }
}
