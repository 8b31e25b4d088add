package dev.blobshuffle.flink.internal.pending;

import dev.blobshuffle.flink.internal.reference.ImmutableSerializer;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.reference.ReferenceSerializer;
import dev.blobshuffle.flink.internal.reference.Varints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The bytes of pending groups: group, first record and number of references as varints, and the
 * references. Stateless.
 */
public final class PendingGroupSerializer extends ImmutableSerializer<PendingGroup> {
    /** The only one that is needed. */
    public static final PendingGroupSerializer INSTANCE = new PendingGroupSerializer();

    private static final long serialVersionUID = 1L;

    private static final PendingGroup EMPTY = new PendingGroup(0, 0, List.of());

    @Override
    public PendingGroup createInstance() {
        return EMPTY;
    }

    @Override
    public void serialize(PendingGroup pending, DataOutputView target) throws IOException {
        Varints.write(pending.group(), target);
        Varints.write(pending.firstRecord(), target);
        Varints.write(pending.references().size(), target);
        for (Reference reference : pending.references()) {
            ReferenceSerializer.INSTANCE.serialize(reference, target);
        }
    }

    @Override
    public PendingGroup deserialize(DataInputView source) throws IOException {
        int group = Varints.read(source);
        int firstRecord = Varints.read(source);
        int count = Varints.read(source);
        List<Reference> references = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            references.add(ReferenceSerializer.INSTANCE.deserialize(source));
        }
        return new PendingGroup(group, firstRecord, references);
    }

    @Override
    public TypeSerializerSnapshot<PendingGroup> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Names the serializer in savepoints. Flink makes it by reflection. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<PendingGroup> {
        /** A snapshot to be written, or to be read into. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
