package dev.blobshuffle.flightdaemon.internal.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameBuffersTest {
    private final FrameBuffers buffers = new FrameBuffers();

    @ParameterizedTest
    @ValueSource(
            ints = {
                (32 << 10) + 1,
                40 << 10,
                (40 << 10) + 1,
                64 << 10,
                (64 << 10) + 1,
                1 << 20,
                (1 << 20) + 1,
                5_000_000,
                16 << 20
            })
    void areAtMostAQuarterLarger(int length) {
        ByteBuffer lent = buffers.lend(length);

        assertThat(lent.isDirect()).isTrue();
        assertThat(lent.remaining()).isEqualTo(length);
        assertThat(lent.capacity()).isBetween(length, length + length / 4);
        buffers.giveBack(lent);
        assertThat(buffers.lend(length)).isSameAs(lent);
    }

    @Test
    void aBufferThatIsTooLargeIsNotKept() {
        ByteBuffer lent = buffers.lend((16 << 20) + 1);
        assertThat(lent.remaining()).isEqualTo((16 << 20) + 1);
        buffers.giveBack(lent);

        assertThat(buffers.lend((16 << 20) + 1)).isNotSameAs(lent);
    }

    @Test
    void aSizeThatNobodyLendsAnyMoreMakesRoom() {
        List<ByteBuffer> old = lend(64, 1 << 20);
        old.forEach(buffers::giveBack);
        List<ByteBuffer> present = lend(20, 3 << 20);
        present.forEach(buffers::giveBack);

        assertThat(lend(20, 3 << 20)).allMatch(buffer -> isOneOf(present, buffer));
        assertThat(lend(64, 1 << 20).stream().filter(buffer -> isOneOf(old, buffer)))
                .hasSize(4);
    }

    @Test
    void theirOwnSizeMakesNoRoom() {
        List<ByteBuffer> lent = lend(65, 1 << 20);
        lent.forEach(buffers::giveBack);

        assertThat(lend(65, 1 << 20).stream().filter(buffer -> isOneOf(lent, buffer)))
                .hasSize(64);
    }

    private List<ByteBuffer> lend(int count, int length) {
        List<ByteBuffer> lent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lent.add(buffers.lend(length));
        }
        return lent;
    }

    private static boolean isOneOf(List<ByteBuffer> all, ByteBuffer buffer) {
        return all.stream().anyMatch(one -> one == buffer);
    }
}
