package dev.blobshuffle.flink.internal.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReferenceSerializerTest {
    private static final ReferenceSerializer SERIALIZER = ReferenceSerializer.INSTANCE;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 127, 8191, 32_767})
    void bothKindsComeBack(int group) throws IOException {
        for (Reference reference : new Reference[] {
            Reference.toSegment(group, new byte[] {1, 2, 3}),
            Reference.ofRecord(group, 42, new byte[300]),
            Reference.ofRecord(group, Long.MIN_VALUE, new byte[0])
        }) {
            assertThat(SERIALIZER.deserialize(new DataInputDeserializer(bytes(reference))))
                    .isEqualTo(reference);
        }
    }

    @Test
    void aNotificationTakesFewBytesMore() throws IOException {
        assertThat(bytes(Reference.toSegment(60, new byte[50]))).hasSize(52);
    }

    @Test
    void aCopyOfBytesIsEqual() throws IOException {
        byte[] bytes = bytes(Reference.ofRecord(7, 42, new byte[] {5}));
        DataOutputSerializer target = new DataOutputSerializer(16);

        SERIALIZER.copy(new DataInputDeserializer(bytes), target);

        assertThat(target.getCopyOfBuffer()).isEqualTo(bytes);
    }

    @Test
    void damagedBytesAreRefused() {
        byte[] noNumber = {-1, -1, -1, -1, -1, -1};

        assertThatThrownBy(() -> SERIALIZER.deserialize(new DataInputDeserializer(noNumber)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("restore another checkpoint");
    }

    @Test
    void aSavepointFindsTheSerializerAgain() throws Exception {
        DataOutputSerializer target = new DataOutputSerializer(64);
        TypeSerializerSnapshot.writeVersionedSnapshot(target, SERIALIZER.snapshotConfiguration());

        TypeSerializerSnapshot<Reference> read = TypeSerializerSnapshot.readVersionedSnapshot(
                new DataInputDeserializer(target.getCopyOfBuffer()), getClass().getClassLoader());

        assertThat(read.restoreSerializer()).isInstanceOf(ReferenceSerializer.class);
        assertThat(SERIALIZER
                        .snapshotConfiguration()
                        .resolveSchemaCompatibility(read)
                        .isCompatibleAsIs())
                .isTrue();
    }

    private static byte[] bytes(Reference reference) throws IOException {
        DataOutputSerializer target = new DataOutputSerializer(64);
        SERIALIZER.serialize(reference, target);
        return target.getCopyOfBuffer();
    }
}
