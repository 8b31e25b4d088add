package dev.blobshuffle.flink.internal.retain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.flink.internal.retain.CheckpointHorizon.Subtask;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CheckpointFailureManager;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.CheckpointsCleaner;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.FinishedOperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.FullyFinishedOperatorState;
import org.apache.flink.runtime.checkpoint.NoOpCheckpointStatsTracker;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StandaloneCheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.StandaloneCompletedCheckpointStore;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.tasks.CheckpointCoordinatorConfiguration;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.util.concurrent.ScheduledExecutorServiceAdapter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EndedSubtasksTest {
    private static final long CHECKPOINT = 7;
    private static final OperatorID BATCHER = new OperatorID(1, 1);
    private static final OperatorID SOURCE = new OperatorID(2, 2);
    private static final CheckpointProperties PERIODIC =
            CheckpointProperties.forCheckpoint(CheckpointRetentionPolicy.NEVER_RETAIN_AFTER_TERMINATION);

    private final JobID job = new JobID();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    @Test
    void asksTheStatesOfTheCheckpoint() throws Exception {
        EndedSubtasks ended = ended(coordinator(() -> List.of(completed(PERIODIC))));

        assertThat(ended.test(new Subtask(BATCHER, 0))).as("runs").isFalse();
        assertThat(ended.test(new Subtask(BATCHER, 1))).as("ended").isTrue();
        assertThat(ended.test(new Subtask(BATCHER, 2))).as("without state").isFalse();
        assertThat(ended.test(new Subtask(SOURCE, 0)))
                .as("the whole operator ended")
                .isTrue();
        assertThat(ended.test(new Subtask(new OperatorID(3, 3), 0)))
                .as("unknown")
                .isFalse();
    }

    @Test
    void aSavepointSaysNothing() throws Exception {
        CheckpointProperties savepoint = CheckpointProperties.forSavepoint(false, SavepointFormatType.CANONICAL);
        EndedSubtasks ended = ended(coordinator(() -> List.of(completed(savepoint))));

        assertThat(ended.test(new Subtask(SOURCE, 0))).isFalse();
    }

    @Test
    void noSubtaskHasEndedIfTheCheckpointsCannotBeListed() throws Exception {
        EndedSubtasks ended = ended(coordinator(() -> {
            throw new IllegalStateException("the store of checkpoints is away");
        }));

        assertThat(ended.test(new Subtask(SOURCE, 0))).isFalse();
        assertThat(ended.test(new Subtask(BATCHER, 1))).isFalse();
    }

    @Test
    void noSubtaskHasEndedWithoutACoordinator() {
        EndedSubtasks ended = new EndedSubtasks(() -> null, CHECKPOINT);

        assertThat(ended.test(new Subtask(SOURCE, 0))).isFalse();
    }

    private static EndedSubtasks ended(CheckpointCoordinator coordinator) {
        return new EndedSubtasks(() -> coordinator, CHECKPOINT);
    }

    private CompletedCheckpoint completed(CheckpointProperties properties) {
        OperatorState batcher = new OperatorState("batcher", "batcher", BATCHER, 3, 128);
        batcher.putState(0, OperatorSubtaskState.builder().build());
        batcher.putState(1, FinishedOperatorSubtaskState.INSTANCE);
        OperatorState source = new FullyFinishedOperatorState("source", "source", SOURCE, 1, 128);
        return new CompletedCheckpoint(
                job,
                CHECKPOINT,
                0,
                1,
                Map.of(BATCHER, batcher, SOURCE, source),
                List.of(),
                properties,
                new InMemory(),
                null);
    }

    private CheckpointCoordinator coordinator(Supplier<List<CompletedCheckpoint>> listed) throws Exception {
        return new CheckpointCoordinator(
                job,
                new CheckpointCoordinatorConfiguration(
                        1000, 1000, 0, 1, CheckpointRetentionPolicy.NEVER_RETAIN_AFTER_TERMINATION, true, false, 0, 0),
                List.of(),
                new StandaloneCheckpointIDCounter(),
                new StandaloneCompletedCheckpointStore(1) {
                    @Override
                    public List<CompletedCheckpoint> getAllCheckpoints() {
                        return listed.get();
                    }
                },
                new JobManagerCheckpointStorage(),
                Runnable::run,
                new CheckpointsCleaner(),
                new ScheduledExecutorServiceAdapter(timer),
                new CheckpointFailureManager(0, new NoJob()),
                () -> {
                    throw new AssertionError("no checkpoint is planned");
                },
                NoOpCheckpointStatsTracker.INSTANCE);
    }

    private static final class NoJob implements CheckpointFailureManager.FailJobCallback {
        @Override
        public void failJob(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void failJobDueToTaskFailure(Throwable cause, ExecutionAttemptID attempt) {
            throw new AssertionError(cause);
        }
    }

    private static final class InMemory implements CompletedCheckpointStorageLocation {
        private static final long serialVersionUID = 1L;

        @Override
        public String getExternalPointer() {
            return "memory";
        }

        @Override
        public StreamStateHandle getMetadataHandle() {
            return new ByteStreamStateHandle("metadata", new byte[0]);
        }

        @Override
        public void disposeStorageLocation() {}
    }
}
