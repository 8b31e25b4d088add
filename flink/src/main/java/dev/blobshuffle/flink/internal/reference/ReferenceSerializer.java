package dev.blobshuffle.flink.internal.reference;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The bytes of references: {@code group << 1 | isRecord} as a varint, a record's timestamp in eight
 * bytes, the length as a varint, the bytes. Stateless.
 */
public final class ReferenceSerializer extends ImmutableSerializer<Reference> {
    /** The only one that is needed. */
    public static final ReferenceSerializer INSTANCE = new ReferenceSerializer();

    private static final long serialVersionUID = 1L;

    private static final Reference EMPTY = Reference.toSegment(0, new byte[0]);

    @Override
    public Reference createInstance() {
        return EMPTY;
    }

    @Override
    public void serialize(Reference reference, DataOutputView target) throws IOException {
        Varints.write(reference.group() << 1 | (reference.isRecord() ? 1 : 0), target);
        if (reference.isRecord()) {
            target.writeLong(reference.timestamp());
        }
        byte[] bytes = reference.bytes();
        Varints.write(bytes.length, target);
        target.write(bytes);
    }

    @Override
    public Reference deserialize(DataInputView source) throws IOException {
        int head = Varints.read(source);
        boolean isRecord = (head & 1) != 0;
        long timestamp = isRecord ? source.readLong() : Long.MIN_VALUE;
        byte[] bytes = new byte[Varints.read(source)];
        source.readFully(bytes);
        int group = head >>> 1;
        return isRecord ? Reference.ofRecord(group, timestamp, bytes) : Reference.toSegment(group, bytes);
    }

    @Override
    public TypeSerializerSnapshot<Reference> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Names the serializer in savepoints. */
    @SuppressWarnings("WeakerAccess") // Flink makes it by reflection.
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Reference> {
        /** A snapshot to be written, or to be read into. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
