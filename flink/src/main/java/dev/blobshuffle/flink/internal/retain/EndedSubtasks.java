package dev.blobshuffle.flink.internal.retain;

import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subtasks that had ended when a checkpoint began, as Flink wrote into the checkpoint. A
 * subtask ends when the next one has received all that it sent, and it takes no part in later
 * checkpoints. Owned by the JobManager's main thread.
 */
final class EndedSubtasks implements Predicate<CheckpointHorizon.Subtask> {
    private static final Logger LOG = LoggerFactory.getLogger(EndedSubtasks.class);

    private final Supplier<@Nullable CheckpointCoordinator> checkpoints;
    private final long checkpoint;
    private @Nullable Map<OperatorID, OperatorState> states;

    /** Those of a completed checkpoint. A savepoint says nothing about its subtasks. */
    EndedSubtasks(Supplier<@Nullable CheckpointCoordinator> checkpoints, long checkpoint) {
        this.checkpoints = checkpoints;
        this.checkpoint = checkpoint;
    }

    @Override
    public boolean test(CheckpointHorizon.Subtask subtask) {
        Map<OperatorID, OperatorState> present = states;
        if (present == null) {
            present = read();
            states = present;
        }
        OperatorState state = present.get(subtask.operator());
        return state != null && (state.isFullyFinished() || hasEnded(state, subtask.number()));
    }

    private static boolean hasEnded(OperatorState state, int number) {
        OperatorSubtaskState subtask = state.getSubtaskStates().get(number);
        return subtask != null && subtask.isFinished();
    }

    private Map<OperatorID, OperatorState> read() {
        CheckpointCoordinator coordinator = checkpoints.get();
        if (coordinator == null) {
            return Map.of();
        }
        try {
            return coordinator.getSuccessfulCheckpoints().stream()
                    .filter(each -> each.getCheckpointID() == checkpoint
                            && !each.getProperties().isSavepoint())
                    .findFirst()
                    .map(CompletedCheckpoint::getOperatorStates)
                    .orElse(Map.of());
        } catch (Exception e) {
            LOG.warn("Blobs of ended subtasks stay for now: the checkpoints of the job cannot be listed.", e);
            return Map.of();
        }
    }
}
