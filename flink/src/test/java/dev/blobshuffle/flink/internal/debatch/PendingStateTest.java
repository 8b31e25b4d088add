package dev.blobshuffle.flink.internal.debatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.reference.Reference;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RunnableFuture;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.junit.jupiter.api.Test;

class PendingStateTest {
    private static final int GROUPS = 16;

    /** Flink gives each subtask the parts of all handles that are in its range. */
    @Test
    void eachSubtaskReadsItsOwnGroupsAtAnyParallelism() throws Exception {
        List<PendingGroup> pending = IntStream.range(0, GROUPS)
                .filter(group -> group % 3 != 1)
                .mapToObj(PendingStateTest::pending)
                .toList();
        for (int before = 1; before <= 5; before++) {
            for (int after = 1; after <= 5; after++) {
                StateObjectCollection<KeyedStateHandle> written = new StateObjectCollection<>();
                for (int subtask = 0; subtask < before; subtask++) {
                    written.add(written(own(pending, range(before, subtask)), range(before, subtask)));
                }
                for (int subtask = 0; subtask < after; subtask++) {
                    KeyGroupRange range = range(after, subtask);

                    assertThat(PendingState.read(restored(written, range)))
                            .as("subtask %d of %d, after %d", subtask, after, before)
                            .usingRecursiveComparison()
                            .isEqualTo(own(pending, range));
                }
            }
        }
    }

    @Test
    void aCopyOnTheLocalDiskIsNotReadBesideTheOther() throws Exception {
        List<PendingGroup> pending = List.of(pending(1), pending(2));
        OperatorSubtaskState state = state(List.of(written(pending, range(1, 0))));

        assertThat(PendingState.read(new PrioritizedOperatorSubtaskState.Builder(state, List.of(state), 1L).build()))
                .hasSize(2);
    }

    @Test
    void nothingPendingIsNoState() throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> write =
                PendingState.write(List.of(), range(1, 0), new MemCheckpointStreamFactory(1 << 20));
        write.run();

        assertThat(write.get().getJobManagerOwnedSnapshot()).isNull();
        assertThat(PendingState.read(restored(StateObjectCollection.empty(), range(1, 0))))
                .isEmpty();
    }

    private static PendingGroup pending(int group) {
        return new PendingGroup(
                group,
                group % 2,
                IntStream.rangeClosed(0, group % 4)
                        .mapToObj(number -> Reference.ofRecord(group, number, new byte[number * 5]))
                        .toList());
    }

    private static KeyGroupRange range(int parallelism, int subtask) {
        return KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(GROUPS, parallelism, subtask);
    }

    private static List<PendingGroup> own(List<PendingGroup> pending, KeyGroupRange range) {
        return pending.stream().filter(each -> range.contains(each.group())).toList();
    }

    private static KeyedStateHandle written(List<PendingGroup> groups, KeyGroupRange range) throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> write =
                PendingState.write(groups, range, new MemCheckpointStreamFactory(1 << 20));
        write.run();
        return Objects.requireNonNull(write.get().getJobManagerOwnedSnapshot());
    }

    private static PrioritizedOperatorSubtaskState restored(
            StateObjectCollection<KeyedStateHandle> written, KeyGroupRange range) {
        List<KeyedStateHandle> parts = written.stream()
                .map(handle -> handle.getIntersection(range))
                .filter(Objects::nonNull)
                .toList();
        return new PrioritizedOperatorSubtaskState.Builder(state(parts), List.of(), 1L).build();
    }

    private static OperatorSubtaskState state(List<KeyedStateHandle> parts) {
        return OperatorSubtaskState.builder()
                .setRawKeyedState(new StateObjectCollection<>(parts))
                .build();
    }
}
