package dev.blobshuffle.flightdaemon.internal.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageAllocatorTest {
    private static final long MARK = 0x1234_5678_9abc_def0L;

    private final MessageAllocator allocator = new MessageAllocator(new FrameBuffers());

    @ParameterizedTest
    @ValueSource(ints = {(32 << 10) + 1, 64 << 10, 300_000, 1 << 20})
    void lendsTheSameMemoryAgain(int length) {
        ByteBuf first = allocator.buffer(length, length);
        first.setLong(0, MARK);
        first.release();

        ByteBuf second = allocator.buffer(length, length);

        assertThat(second.isDirect()).isTrue();
        assertThat(second.writableBytes()).isEqualTo(length);
        assertThat(second.getLong(0)).isEqualTo(MARK);
        second.release();
    }

    @Test
    void keepsMemoryThatASliceRefersTo() {
        ByteBuf first = allocator.buffer(1 << 20, 1 << 20);
        first.setLong(0, MARK);
        ByteBuf slice = first.retainedSlice(0, Long.BYTES);
        first.release();

        ByteBuf second = allocator.buffer(1 << 20, 1 << 20);
        second.setLong(0, 0);

        assertThat(slice.getLong(0)).isEqualTo(MARK);
        slice.release();
        second.release();
    }

    @Test
    void keepsAtMost64MiB() {
        List<ByteBuf> lent = new ArrayList<>();
        for (int i = 0; i < 65; i++) {
            lent.add(allocator.buffer(1 << 20, 1 << 20).setLong(0, MARK));
        }
        lent.forEach(ByteBuf::release);
        lent.clear();

        int marked = 0;
        for (int i = 0; i < 65; i++) {
            ByteBuf buffer = allocator.buffer(1 << 20, 1 << 20);
            marked += buffer.getLong(0) == MARK ? 1 : 0;
            lent.add(buffer);
        }

        assertThat(marked).isEqualTo(64);
        lent.forEach(ByteBuf::release);
    }

    @Test
    void takesSmallBuffersFromThePool() {
        ByteBuf small = allocator.buffer(32 << 10, 32 << 10);

        assertThat(small.alloc()).isNotSameAs(allocator);
        small.release();
    }
}
