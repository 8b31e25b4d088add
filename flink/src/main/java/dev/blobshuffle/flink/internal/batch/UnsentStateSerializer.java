package dev.blobshuffle.flink.internal.batch;

import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.pending.PendingGroupSerializer;
import dev.blobshuffle.flink.internal.reference.ImmutableSerializer;
import dev.blobshuffle.flink.internal.reference.Varints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The bytes of a Batcher's state: the number of pending groups as a varint, and the groups. Writing
 * waits until they are known. Stateless.
 */
final class UnsentStateSerializer extends ImmutableSerializer<UnsentState> {
    static final UnsentStateSerializer INSTANCE = new UnsentStateSerializer();

    private static final long serialVersionUID = 1L;

    private static final UnsentState EMPTY = UnsentState.known(List.of());

    @Override
    public UnsentState createInstance() {
        return EMPTY;
    }

    @Override
    public void serialize(UnsentState state, DataOutputView target) throws IOException {
        List<PendingGroup> groups = known(state);
        Varints.write(groups.size(), target);
        for (PendingGroup group : groups) {
            PendingGroupSerializer.INSTANCE.serialize(group, target);
        }
    }

    private static List<PendingGroup> known(UnsentState state) throws IOException {
        try {
            return state.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Cannot write the state of a shuffle: the checkpoint was given up.", e);
        } catch (Exception e) {
            throw new IOException(
                    "Cannot write the state of a shuffle: records before the barrier are not stored. Check the store: "
                            + e.getMessage(),
                    e);
        }
    }

    @Override
    public UnsentState deserialize(DataInputView source) throws IOException {
        int count = Varints.read(source);
        List<PendingGroup> groups = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            groups.add(PendingGroupSerializer.INSTANCE.deserialize(source));
        }
        return UnsentState.known(groups);
    }

    @Override
    public TypeSerializerSnapshot<UnsentState> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Names the serializer in savepoints. */
    @SuppressWarnings("WeakerAccess") // Flink makes it by reflection.
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<UnsentState> {
        /** A snapshot to be written, or to be read into. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
