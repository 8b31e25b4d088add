package dev.blobshuffle.flink.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.reference.Reference;
import java.io.IOException;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class UnsentTest {
    private static final Reference FIRST = Reference.ofRecord(1, 5, new byte[] {1});
    private static final Reference SECOND = Reference.toSegment(1, new byte[] {2});
    private static final Reference BEHIND = Reference.toSegment(1, new byte[] {3});
    private static final Reference OTHER = Reference.ofRecord(0, 5, new byte[] {4});

    private final Unsent unsent = new Unsent(new long[] {0, 4});

    @Test
    void nothingIsMissingIfAllIsSent() {
        assertThat(new Unsent(new long[2]).all()).isCompletedWithValue(List.of());
    }

    @Test
    void theFirstReferencesOfAGroupAreThoseBeforeTheBarrier() {
        unsent.add(OTHER, 1);
        unsent.add(FIRST, 1);
        assertThat(unsent.isComplete()).isFalse();
        unsent.add(SECOND, 3);
        unsent.add(BEHIND, 2);

        assertThat(unsent.all()).isCompletedWithValue(List.of(new PendingGroup(1, 0, List.of(FIRST, SECOND))));
    }

    @Test
    void aSegmentOnBothSidesOfTheBarrierFailsTheCheckpoint() {
        unsent.add(SECOND, 5);

        assertThat(unsent.all()).isCompletedExceptionally();
    }

    @Test
    void theStateComesBack() throws Exception {
        unsent.add(FIRST, 1);
        unsent.add(SECOND, 3);
        DataOutputSerializer target = new DataOutputSerializer(16);
        UnsentStateSerializer.INSTANCE.serialize(state(), target);

        UnsentState back = UnsentStateSerializer.INSTANCE.deserialize(
                new DataInputDeserializer(target.getSharedBuffer(), 0, target.length()));

        assertThat(back.await()).isEqualTo(unsent.all().join());
    }

    @Test
    void aFailedPutFailsTheCheckpoint() {
        unsent.fail(new IllegalStateException("planted"));

        assertThatThrownBy(() -> UnsentStateSerializer.INSTANCE.serialize(state(), new DataOutputSerializer(16)))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("Check the store", "planted");
    }

    private UnsentState state() {
        return new UnsentState(unsent.all(), references -> references);
    }
}
