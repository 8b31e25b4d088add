package dev.blobshuffle.flight.internal.server;

import dev.blobshuffle.flight.internal.wire.InPlace;
import io.grpc.netty.shaded.io.netty.buffer.AbstractByteBufAllocator;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.PooledByteBufAllocator;
import io.grpc.netty.shaded.io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

/**
 * Gives gRPC the buffers of its messages: of a frame the memory in which its body lies already
 * ({@link InPlace}), others of up to 1 MiB from a list of free ones. Netty's pool gives its memory
 * back to the system whenever a stream has nothing queued, and then zeroes new memory: an eighth of
 * the CPU time of a daemon that serves uncompressed frames. Small buffers come from Netty's pool.
 * Thread-safe.
 */
final class MessageAllocator extends AbstractByteBufAllocator {
    /** Netty's pool caches smaller ones by thread. */
    private static final int SMALLEST = 32 << 10;

    private final PooledByteBufAllocator small = PooledByteBufAllocator.DEFAULT;
    private final ThreadLocal<InPlace> offered = new ThreadLocal<>();
    private final FrameBuffers free;

    MessageAllocator(FrameBuffers free) {
        super(true);
        this.free = free;
    }

    /**
     * Has gRPC make its buffer of the memory of a message.
     *
     * @param send hands the message to gRPC, which asks for its buffer meanwhile, in this thread
     * @return whether the memory is the buffer's now, which gives it back; if not, it is still the
     *     caller's
     */
    boolean send(InPlace place, Runnable send) {
        offered.set(place);
        try {
            send.run();
        } finally {
            offered.remove();
        }
        return place.isTaken();
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return small.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        InPlace place = offered.get();
        if (place != null && place.take(initialCapacity)) {
            return new Placed(place);
        }
        return initialCapacity <= SMALLEST
                ? small.directBuffer(initialCapacity, maxCapacity)
                : new Lent(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    /** A message whose body is there before gRPC writes it. Its memory goes back like others. */
    private final class Placed extends UnpooledDirectByteBuf {
        private final InPlace place;

        Placed(InPlace place) {
            super(MessageAllocator.this, place.memory(), place.memory().capacity());
            this.place = place;
            clear();
        }

        @Override
        public ByteBuf setBytes(int index, byte[] source, int sourceIndex, int length) {
            return place.isInPlace(source, index, length) ? this : super.setBytes(index, source, sourceIndex, length);
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            free.giveBack(place.lent());
        }
    }

    /** A buffer whose memory returns to the list when its last reference is released. */
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
