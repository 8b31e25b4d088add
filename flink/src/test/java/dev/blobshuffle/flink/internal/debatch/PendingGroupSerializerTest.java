package dev.blobshuffle.flink.internal.debatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.flink.internal.debatch.GroupQueue.Item;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.pending.PendingGroupSerializer;
import dev.blobshuffle.flink.internal.reference.Reference;
import java.io.IOException;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class PendingGroupSerializerTest {
    private final GroupQueue queue = new GroupQueue(new Partition("shuffle", 300));

    @Test
    void aGroupComesBackWithTheIndexOfItsHead() throws IOException {
        add(Reference.toSegment(300, new byte[] {1}), 0);
        add(Reference.ofRecord(300, 5, new byte[] {2}), 0);
        assertThat(queue.handsOut(0, 3)).isFalse();
        assertThat(queue.handsOut(1, 3)).isFalse();

        PendingGroup back = roundTrip(queue.pending());

        assertThat(back).isEqualTo(queue.pending());
        assertThat(back.firstRecord()).isEqualTo(2);
    }

    @Test
    void theIndexBeginsAgainWithTheNextReference() {
        add(Reference.toSegment(300, new byte[] {1}), 1);
        add(Reference.toSegment(300, new byte[] {2}), 0);
        assertThat(queue.pending().firstRecord()).isEqualTo(1);

        assertThat(queue.handsOut(1, 2)).isTrue();

        assertThat(queue.pending()).isEqualTo(new PendingGroup(300, 0, List.of(Reference.toSegment(300, new byte[] {2
        }))));
    }

    private void add(Reference reference, int firstRecord) {
        long ignored = queue.add(new Item(queue, reference, 1, Item.NO_BLOB), firstRecord);
    }

    private static PendingGroup roundTrip(PendingGroup group) throws IOException {
        DataOutputSerializer target = new DataOutputSerializer(64);
        PendingGroupSerializer.INSTANCE.serialize(group, target);
        return PendingGroupSerializer.INSTANCE.deserialize(new DataInputDeserializer(target.getCopyOfBuffer()));
    }
}
