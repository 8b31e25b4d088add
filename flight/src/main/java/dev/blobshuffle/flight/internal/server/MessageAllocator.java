package dev.blobshuffle.flight.internal.server;

import io.grpc.netty.shaded.io.netty.buffer.AbstractByteBufAllocator;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.PooledByteBufAllocator;
import io.grpc.netty.shaded.io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

/**
 * Gives gRPC the buffers of its messages, of up to 1 MiB, from a list of free ones. Netty's pool
 * gives its memory back to the system whenever a stream has nothing queued, and then zeroes new
 * memory: an eighth of the CPU time of a daemon that serves uncompressed frames. Small buffers come
 * from Netty's pool. Thread-safe.
 */
final class MessageAllocator extends AbstractByteBufAllocator {
    /** Netty's pool caches smaller ones by thread. */
    private static final int SMALLEST = 32 << 10;

    private final PooledByteBufAllocator small = PooledByteBufAllocator.DEFAULT;
    private final FrameBuffers free = new FrameBuffers();

    MessageAllocator() {
        super(true);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return small.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        return initialCapacity <= SMALLEST
                ? small.directBuffer(initialCapacity, maxCapacity)
                : new Lent(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    /** Its memory goes back to the list when nobody refers to it any more. */
    private final class Lent extends UnpooledDirectByteBuf {
        Lent(int initialCapacity, int maxCapacity) {
            super(MessageAllocator.this, initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuffer allocateDirect(int length) {
            return free.lend(length);
        }

        @Override
        protected void freeDirect(ByteBuffer buffer) {
            free.giveBack(buffer);
        }
    }
}
