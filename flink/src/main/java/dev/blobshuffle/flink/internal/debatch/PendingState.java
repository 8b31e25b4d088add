package dev.blobshuffle.flink.internal.debatch;

import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.pending.PendingGroupSerializer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateCheckpointOutputStream;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * The state of a Debatcher: a stream with the pending references of each key group, as Flink's raw
 * keyed state. So each subtask gets its own key groups at a restore, and checkpoints go on when a
 * part of the subtasks has ended. Flink's own streams for such state need a backend for keyed
 * state, which a Debatcher does not have, so it reads and writes the handles itself. Stateless.
 */
final class PendingState {
    private PendingState() {}

    /**
     * Writes groups when it is run, on the thread of the checkpoint.
     *
     * @param range the key groups of the subtask
     */
    static RunnableFuture<SnapshotResult<KeyedStateHandle>> write(
            List<PendingGroup> groups, KeyGroupRange range, CheckpointStreamFactory streams) {
        return new FutureTask<>(() -> written(groups, range, streams));
    }

    private static SnapshotResult<KeyedStateHandle> written(
            List<PendingGroup> groups, KeyGroupRange range, CheckpointStreamFactory streams) throws IOException {
        if (groups.isEmpty()) {
            return SnapshotResult.empty();
        }
        long[] offsets = new long[range.getNumberOfKeyGroups()];
        Arrays.fill(offsets, KeyedStateCheckpointOutputStream.NO_OFFSET_SET);
        // Closing a stream that has no handle yet deletes what was written.
        try (CheckpointStateOutputStream stream =
                streams.createCheckpointStateOutputStream(CheckpointedStateScope.EXCLUSIVE)) {
            DataOutputViewStreamWrapper target = new DataOutputViewStreamWrapper(stream);
            for (PendingGroup group : groups) {
                offsets[group.group() - range.getStartKeyGroup()] = stream.getPos();
                PendingGroupSerializer.INSTANCE.serialize(group, target);
            }
            KeyGroupRangeOffsets places = new KeyGroupRangeOffsets(range, offsets);
            return SnapshotResult.of(new KeyGroupsStateHandle(places, stream.closeAndGetHandle()));
        }
    }

    /** The groups that a checkpoint holds for a subtask. */
    static List<PendingGroup> read(PrioritizedOperatorSubtaskState restored) throws IOException {
        List<PendingGroup> groups = new ArrayList<>();
        // Other collections are copies of the first one, such as those on local disks.
        List<StateObjectCollection<KeyedStateHandle>> copies = restored.getPrioritizedRawKeyedState();
        for (KeyedStateHandle handle : copies.get(0)) {
            read((KeyGroupsStateHandle) handle, groups);
        }
        return groups;
    }

    private static void read(KeyGroupsStateHandle handle, List<PendingGroup> groups) throws IOException {
        try (FSDataInputStream stream = handle.openInputStream()) {
            DataInputViewStreamWrapper source = new DataInputViewStreamWrapper(stream);
            for (Tuple2<Integer, Long> place : handle.getGroupRangeOffsets()) {
                if (place.f1 != KeyedStateCheckpointOutputStream.NO_OFFSET_SET) {
                    stream.seek(place.f1);
                    groups.add(PendingGroupSerializer.INSTANCE.deserialize(source));
                }
            }
        }
    }
}
